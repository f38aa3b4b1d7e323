import type { Language } from '../language.ts'

/** Swedish. */
export const sv: Language = {
  codeLine: '{code} är din kod för {app}.',
  warning: 'Dela den inte med någon.',
  expiry: { one: 'Giltig i {minutes} minut.', other: 'Giltig i {minutes} minuter.' },
  subject: 'Din verifieringskod för {app}',
  heading: 'Ange den här koden för att fortsätta med {app}:',
  notYou: 'Om du inte har bett om koden kan du bortse från det här mejlet. Dela inte koden med någon.',
  linkText: 'Jag vill verifiera mitt nummer hos {app}. Referens: {reference}',
}
