import type { Language } from '../language.ts'

/** Dutch. */
export const nl: Language = {
  codeLine: '{code} is je code voor {app}.',
  warning: 'Deel deze met niemand.',
  expiry: { one: 'Nog {minutes} minuut geldig.', other: 'Nog {minutes} minuten geldig.' },
  subject: 'Je verificatiecode voor {app}',
  heading: 'Voer deze code in om verder te gaan met {app}:',
  notYou: 'Heb je deze code niet aangevraagd? Dan kun je deze e-mail negeren. Deel de code met niemand.',
  linkText: 'Ik wil mijn nummer verifiëren bij {app}. Referentie: {reference}',
}
