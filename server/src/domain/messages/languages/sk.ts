import type { Language } from '../language.ts'

/** Slovak. */
export const sk: Language = {
  codeLine: '{code} je váš kód pre {app}.',
  warning: 'Nikomu ho neprezraďte.',
  expiry: {
    one: 'Platí {minutes} minútu.',
    few: 'Platí {minutes} minúty.',
    many: 'Platí {minutes} minúty.',
    other: 'Platí {minutes} minút.',
  },
  subject: 'Váš overovací kód pre {app}',
  heading: 'Ak chcete pokračovať v {app}, zadajte tento kód:',
  notYou: 'Ak ste o tento kód nežiadali, správu ignorujte. Kód nikomu neprezraďte.',
  linkText: 'Chcem overiť svoje číslo pre {app}. Referencia: {reference}',
}
