import type { Language } from '../language.ts'

/** Romanian. */
export const ro: Language = {
  codeLine: '{code} este codul pentru {app}.',
  warning: 'Nu divulga acest cod.',
  expiry: {
    one: 'Valabil {minutes} minut.',
    few: 'Valabil {minutes} minute.',
    other: 'Valabil {minutes} de minute.',
  },
  subject: 'Codul tău de verificare pentru {app}',
  heading: 'Pentru a continua în {app}, introdu acest cod:',
  notYou: 'Dacă nu ai cerut acest cod, ignoră acest e-mail. Nu divulga codul nimănui.',
  linkText: 'Vreau să-mi verific numărul pentru {app}. Referință: {reference}',
}
