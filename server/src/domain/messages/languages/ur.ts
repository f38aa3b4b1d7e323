import type { Language } from '../language.ts'

/** Urdu. */
export const ur: Language = {
  codeLine: '{code} آپ کا {app} کوڈ ہے۔',
  warning: 'یہ کسی کو نہ بتائیں۔',
  expiry: { other: 'یہ {minutes} منٹ تک کارآمد ہے۔' },
  subject: 'آپ کا {app} تصدیقی کوڈ',
  heading: 'جاری رکھنے کے لیے یہ کوڈ {app} میں درج کریں:',
  notYou: 'اگر آپ نے یہ کوڈ نہیں مانگا تو اس ای میل کو نظر انداز کریں۔ کوڈ کسی کو نہ بتائیں۔',
  linkText: 'مجھے {app} کے لیے اپنے نمبر کی تصدیق کرنی ہے۔ حوالہ: {reference}',
}
