import type { Language } from '../language.ts'

/** Arabic. */
export const ar: Language = {
  codeLine: '{code} هو رمز التحقق في {app}.',
  warning: 'لا تشاركه مع أحد.',
  expiry: {
    one: 'صالح لمدة دقيقة واحدة.',
    two: 'صالح لمدة دقيقتين.',
    few: 'صالح لمدة {minutes} دقائق.',
    many: 'صالح لمدة {minutes} دقيقة.',
    other: 'صالح لمدة {minutes} دقيقة.',
  },
  subject: 'رمز التحقق الخاص بك في {app}',
  heading: 'للمتابعة في {app}، أدخل هذا الرمز:',
  notYou: 'إذا لم تطلب هذا الرمز، فتجاهل هذه الرسالة. لا تشارك الرمز مع أحد.',
  linkText: 'أريد التحقق من رقمي في {app}. المرجع: {reference}',
}
