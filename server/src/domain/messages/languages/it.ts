import type { Language } from '../language.ts'

/** Italian. */
export const it: Language = {
  codeLine: '{code} è il tuo codice per {app}.',
  warning: 'Non darlo a nessuno.',
  expiry: { one: 'Valido per {minutes} minuto.', other: 'Valido per {minutes} minuti.' },
  subject: 'Il tuo codice di verifica per {app}',
  heading: 'Per continuare su {app}, inserisci questo codice:',
  notYou: 'Se non hai richiesto questo codice, ignora questa email. Non dare il codice a nessuno.',
  linkText: 'Voglio verificare il mio numero per {app}. Riferimento: {reference}',
}
