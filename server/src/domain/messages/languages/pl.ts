import type { Language } from '../language.ts'

/** Polish. */
export const pl: Language = {
  codeLine: '{code} to kod do {app}.',
  warning: 'Nie podawaj go nikomu.',
  expiry: {
    one: 'Ważny przez {minutes} minutę.',
    few: 'Ważny przez {minutes} minuty.',
    many: 'Ważny przez {minutes} minut.',
    other: 'Ważny przez {minutes} minuty.',
  },
  subject: 'Kod weryfikacyjny do {app}',
  heading: 'Aby kontynuować w {app}, wpisz ten kod:',
  notYou: 'Jeśli to nie Ty prosisz o ten kod, zignoruj tę wiadomość. Nie podawaj kodu nikomu.',
  linkText: 'Chcę zweryfikować swój numer w {app}. Identyfikator: {reference}',
}
