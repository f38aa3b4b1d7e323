import type { Language } from '../language.ts'

/** Filipino. */
export const fil: Language = {
  codeLine: '{code} ang code mo para sa {app}.',
  warning: 'Huwag itong ibahagi.',
  expiry: { other: 'May bisa nang {minutes} minuto.' },
  subject: 'Ang verification code mo para sa {app}',
  heading: 'Para magpatuloy sa {app}, ilagay ang code na ito:',
  notYou:
    'Kung hindi mo hiningi ang code na ito, huwag pansinin ang email na ito. Huwag ibahagi ang code kahit kanino.',
  linkText: 'Gusto kong i-verify ang number ko sa {app}. Reference: {reference}',
}
