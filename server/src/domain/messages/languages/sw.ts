import type { Language } from '../language.ts'

/** Swahili. */
export const sw: Language = {
  codeLine: '{code} ni msimbo wako wa {app}.',
  warning: 'Usimpe mtu yeyote.',
  expiry: { other: 'Unatumika kwa dakika {minutes}.' },
  subject: 'Msimbo wako wa uthibitishaji wa {app}',
  heading: 'Ili kuendelea na {app}, weka msimbo huu:',
  notYou: 'Ikiwa hukuomba msimbo huu, puuza barua pepe hii. Usimpe mtu yeyote msimbo huu.',
  linkText: 'Ninataka kuthibitisha nambari yangu kwa {app}. Rejeleo: {reference}',
}
