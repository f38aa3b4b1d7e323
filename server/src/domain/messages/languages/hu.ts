import type { Language } from '../language.ts'

/** Hungarian. The name stands in brackets: article and endings would depend on it. */
export const hu: Language = {
  codeLine: '{code} az Ön kódja ({app}).',
  warning: 'Ne adja meg senkinek.',
  expiry: { other: 'Még {minutes} percig érvényes.' },
  subject: 'Az Ön ellenőrző kódja ({app})',
  heading: 'A folytatáshoz adja meg ezt a kódot ({app}):',
  notYou: 'Ha nem Ön kérte ezt a kódot, hagyja figyelmen kívül ezt az e-mailt. A kódot ne adja meg senkinek.',
  linkText: 'Szeretném igazolni a telefonszámomat ({app}). Azonosító: {reference}',
}
