import type { Language } from '../language.ts'

/** Indonesian. */
export const id: Language = {
  codeLine: '{code} adalah kode {app} Anda.',
  warning: 'Jangan beri tahu siapa pun.',
  expiry: { other: 'Berlaku selama {minutes} menit.' },
  subject: 'Kode verifikasi {app} Anda',
  heading: 'Untuk melanjutkan ke {app}, masukkan kode ini:',
  notYou: 'Jika Anda tidak meminta kode ini, abaikan email ini. Jangan beri tahu kode ini kepada siapa pun.',
  linkText: 'Saya ingin memverifikasi nomor saya di {app}. Referensi: {reference}',
}
