import type { Language } from '../language.ts'

/** Czech. */
export const cs: Language = {
  codeLine: '{code} je váš kód pro {app}.',
  warning: 'Nikomu ho nesdělujte.',
  expiry: {
    one: 'Platí {minutes} minutu.',
    few: 'Platí {minutes} minuty.',
    many: 'Platí {minutes} minuty.',
    other: 'Platí {minutes} minut.',
  },
  subject: 'Váš ověřovací kód pro {app}',
  heading: 'Pro pokračování v {app} zadejte tento kód:',
  notYou: 'Pokud jste o tento kód nežádali, zprávu ignorujte. Kód nikomu nesdělujte.',
  linkText: 'Chci ověřit své číslo pro {app}. Reference: {reference}',
}
