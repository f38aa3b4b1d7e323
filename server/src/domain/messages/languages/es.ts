import type { Language } from '../language.ts'

/** Spanish. «Clave» in the SMS, because «código» would leave GSM-7. */
export const es: Language = {
  codeLine: '{code} es tu clave de un solo uso para {app}.',
  warning: 'No la compartas.',
  expiry: { one: 'Caduca en {minutes} minuto.', other: 'Caduca en {minutes} minutos.' },
  subject: 'Tu código de verificación de {app}',
  heading: 'Para continuar en {app}, escribe este código:',
  notYou: 'Si no pediste este código, ignora este correo. No compartas el código con nadie.',
  linkText: 'Quiero verificar mi número en {app}. Referencia: {reference}',
}
