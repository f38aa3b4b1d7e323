import type { Language } from '../language.ts'

/** Danish. */
export const da: Language = {
  codeLine: '{code} er din kode til {app}.',
  warning: 'Del den ikke med nogen.',
  expiry: { one: 'Gælder i {minutes} minut.', other: 'Gælder i {minutes} minutter.' },
  subject: 'Din bekræftelseskode til {app}',
  heading: 'Indtast denne kode for at fortsætte med {app}:',
  notYou: 'Hvis du ikke har bedt om denne kode, kan du se bort fra denne e-mail. Del ikke koden med nogen.',
  linkText: 'Jeg vil bekræfte mit nummer hos {app}. Reference: {reference}',
}
