import type { Language } from '../language.ts'

/** Croatian. */
export const hr: Language = {
  codeLine: '{code} je kod za {app}.',
  warning: 'Nemojte ga dijeliti ni s kim.',
  expiry: {
    one: 'Vrijedi {minutes} minutu.',
    few: 'Vrijedi {minutes} minute.',
    other: 'Vrijedi {minutes} minuta.',
  },
  subject: 'Vaš verifikacijski kod za {app}',
  heading: 'Da biste nastavili u {app}, unesite ovaj kod:',
  notYou: 'Ako niste zatražili ovaj kod, zanemarite ovu poruku. Nemojte ga dijeliti ni s kim.',
  linkText: 'Želim potvrditi svoj broj za {app}. Referenca: {reference}',
}
