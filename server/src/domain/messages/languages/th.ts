import type { Language } from '../language.ts'

/** Thai. */
export const th: Language = {
  codeLine: '{code} คือรหัส {app} ของคุณ',
  warning: 'อย่าบอกรหัสนี้กับใคร',
  expiry: { other: 'ใช้ได้ภายใน {minutes} นาที' },
  subject: 'รหัสยืนยัน {app} ของคุณ',
  heading: 'ป้อนรหัสนี้เพื่อดำเนินการต่อกับ {app}:',
  notYou: 'หากคุณไม่ได้ขอรหัสนี้ ไม่ต้องสนใจอีเมลนี้ และอย่าบอกรหัสกับใคร',
  linkText: 'ฉันต้องการยืนยันหมายเลขของฉันกับ {app} รหัสอ้างอิง: {reference}',
}
