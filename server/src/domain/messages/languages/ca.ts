import type { Language } from '../language.ts'

/** Catalan. «Per a» and «a» before the name, because «de» would elide before a vowel. */
export const ca: Language = {
  codeLine: '{code} és el teu codi per a {app}.',
  warning: 'No el comparteixis.',
  expiry: { one: 'Caduca d’aquí a {minutes} minut.', other: 'Caduca d’aquí a {minutes} minuts.' },
  subject: 'El teu codi de verificació per a {app}',
  heading: 'Per continuar a {app}, escriu aquest codi:',
  notYou: 'Si no has demanat aquest codi, ignora aquest correu. No comparteixis el codi amb ningú.',
  linkText: 'Vull verificar el meu número a {app}. Referència: {reference}',
}
