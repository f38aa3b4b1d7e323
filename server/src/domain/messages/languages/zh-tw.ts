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
  approved: '您的手機號碼已通過 {app} 驗證，現在可以返回。如果不是您本人操作，請立即聯絡 {app}。',
  linkExpired: '此連結已過期。請返回並取得新的連結。',
}
