import type { Language } from '../language.ts'

/** Japanese. */
export const ja: Language = {
  codeLine: '{code} は {app} の認証コードです。',
  warning: '他の人に教えないでください。',
  expiry: { other: '有効期限は{minutes}分です。' },
  subject: '{app} の認証コード',
  heading: '{app} の手続きを続けるには、次のコードを入力してください。',
  notYou:
    'このコードに心当たりがない場合は、このメールを無視してください。コードは誰にも教えないでください。',
  linkText: '{app} で電話番号の認証を希望します。参照番号: {reference}',
}
