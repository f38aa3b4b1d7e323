import type { Language } from '../language.ts'

/** Chinese, traditional. */
export const zhTW: Language = {
  codeLine: '{code} 是您的 {app} 驗證碼。',
  warning: '請勿告訴他人。',
  expiry: { other: '{minutes} 分鐘內有效。' },
  subject: '您的 {app} 驗證碼',
  heading: '請輸入此驗證碼，以繼續使用 {app}：',
  notYou: '如果您沒有要求此驗證碼，請忽略這封電子郵件。請勿將驗證碼告訴任何人。',
  linkText: '我想在 {app} 驗證我的手機號碼。編號: {reference}',
}
