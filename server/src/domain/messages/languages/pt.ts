import type { Language } from '../language.ts'

/** Portuguese, as written in Europe and Africa. */
export const pt: Language = {
  codeLine: '{code} é o seu código para {app}.',
  warning: 'Não o partilhe com ninguém.',
  expiry: { one: 'Válido durante {minutes} minuto.', other: 'Válido durante {minutes} minutos.' },
  subject: 'O seu código de verificação para {app}',
  heading: 'Para continuar em {app}, introduza este código:',
  notYou: 'Se não pediu este código, ignore este e-mail. Não partilhe o código com ninguém.',
  linkText: 'Quero verificar o meu número em {app}. Referência: {reference}',
}
