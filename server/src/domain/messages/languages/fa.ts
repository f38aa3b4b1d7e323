import type { Language } from '../language.ts'

/** Persian. */
export const fa: Language = {
  codeLine: '{code} کد شما برای {app} است.',
  warning: 'آن را به کسی ندهید.',
  expiry: { other: 'تا {minutes} دقیقه معتبر است.' },
  subject: 'کد تأیید شما برای {app}',
  heading: 'برای ادامه در {app}، این کد را وارد کنید:',
  notYou: 'اگر شما این کد را درخواست نکرده‌اید، این ایمیل را نادیده بگیرید. کد را به کسی ندهید.',
  linkText: 'می‌خواهم شماره‌ام را در {app} تأیید کنم. شناسه: {reference}',
}
