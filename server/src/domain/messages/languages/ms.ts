import type { Language } from '../language.ts'

/** Malay. */
export const ms: Language = {
  codeLine: '{code} ialah kod {app} anda.',
  warning: 'Jangan kongsi dengan sesiapa.',
  expiry: { other: 'Sah selama {minutes} minit.' },
  subject: 'Kod pengesahan {app} anda',
  heading: 'Untuk meneruskan ke {app}, masukkan kod ini:',
  notYou: 'Jika anda tidak meminta kod ini, abaikan e-mel ini. Jangan kongsi kod ini dengan sesiapa.',
  linkText: 'Saya mahu mengesahkan nombor saya dengan {app}. Rujukan: {reference}',
}
