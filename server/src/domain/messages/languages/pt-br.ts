import type { Language } from '../language.ts'

/** Portuguese, as written in Brazil. */
export const ptBR: Language = {
  codeLine: '{code} é seu código para {app}.',
  warning: 'Não compartilhe com ninguém.',
  expiry: { one: 'Válido por {minutes} minuto.', other: 'Válido por {minutes} minutos.' },
  subject: 'Seu código de verificação para {app}',
  heading: 'Para continuar em {app}, digite este código:',
  notYou: 'Se você não pediu este código, ignore este e-mail. Não compartilhe o código com ninguém.',
  linkText: 'Quero verificar meu número em {app}. Referência: {reference}',
}
