import type { Language } from '../language.ts'

/** Turkish. */
export const tr: Language = {
  codeLine: '{app} kodunuz: {code}.',
  warning: 'Kodu kimseye vermeyin.',
  expiry: { other: 'Kod {minutes} dakika geçerlidir.' },
  subject: '{app} doğrulama kodunuz',
  heading: '{app} ile devam etmek için bu kodu girin:',
  notYou: 'Bu kodu siz istemediyseniz bu e-postayı yok sayın. Kodu kimseyle paylaşmayın.',
  linkText: '{app} için numaramı doğrulamak istiyorum. Referans: {reference}',
}
