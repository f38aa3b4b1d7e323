import type { Language } from '../language.ts'

/** Chinese, simplified. */
export const zh: Language = {
  codeLine: '{code} 是您的 {app} 验证码。',
  warning: '请勿告诉他人。',
  expiry: { other: '{minutes} 分钟内有效。' },
  subject: '您的 {app} 验证码',
  heading: '请输入此验证码，以继续使用 {app}：',
  notYou: '如果您没有请求此验证码，请忽略本邮件。请勿将验证码告诉任何人。',
  linkText: '我想在 {app} 验证我的手机号。编号: {reference}',
}
