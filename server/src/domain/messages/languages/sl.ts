import type { Language } from '../language.ts'

/** Slovenian. */
export const sl: Language = {
  codeLine: '{code} je koda za {app}.',
  warning: 'Nikomur je ne zaupajte.',
  expiry: {
    one: 'Velja {minutes} minuto.',
    two: 'Velja {minutes} minuti.',
    few: 'Velja {minutes} minute.',
    other: 'Velja {minutes} minut.',
  },
  subject: 'Potrditvena koda za {app}',
  heading: 'Za nadaljevanje v {app} vnesite to kodo:',
  notYou: 'Če te kode niste zahtevali, prezrite to sporočilo. Kode nikomur ne zaupajte.',
  linkText: 'Želim potrditi svojo številko za {app}. Sklic: {reference}',
}
