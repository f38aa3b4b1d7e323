import type { Language } from '../language.ts'

/** German. */
export const de: Language = {
  codeLine: '{code} ist Ihr Code für {app}.',
  warning: 'Geben Sie ihn nicht weiter.',
  expiry: { one: 'Gültig für {minutes} Minute.', other: 'Gültig für {minutes} Minuten.' },
  subject: 'Ihr Bestätigungscode für {app}',
  heading: 'Geben Sie diesen Code ein, um bei {app} fortzufahren:',
  notYou:
    'Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese E-Mail. Geben Sie den Code nicht weiter.',
  linkText: 'Ich möchte meine Nummer bei {app} bestätigen. Referenz: {reference}',
}
