import type { Language } from '../language.ts'

/** French. «Pour» before the name, because «de» would elide before a vowel. */
export const fr: Language = {
  codeLine: '{code} est votre code pour {app}.',
  warning: 'Ne le donnez à personne.',
  expiry: { one: 'Valable pendant {minutes} minute.', other: 'Valable pendant {minutes} minutes.' },
  subject: 'Votre code de vérification pour {app}',
  heading: 'Pour continuer avec {app}, saisissez ce code\u00a0:',
  notYou: 'Si vous n’avez pas demandé ce code, ignorez cet e-mail. Ne donnez ce code à personne.',
  linkText: 'Je souhaite vérifier mon numéro pour {app}. Réf. {reference}',
}
