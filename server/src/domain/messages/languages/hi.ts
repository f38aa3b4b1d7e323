import type { Language } from '../language.ts'

/** Hindi. */
export const hi: Language = {
  codeLine: '{code} आपका {app} कोड है।',
  warning: 'इसे किसी को न बताएं।',
  expiry: { other: 'यह {minutes} मिनट तक मान्य है।' },
  subject: 'आपका {app} सत्यापन कोड',
  heading: '{app} पर जारी रखने के लिए यह कोड डालें:',
  notYou: 'अगर आपने यह कोड नहीं मांगा है, तो इस ईमेल को अनदेखा करें। कोड किसी को न बताएं।',
  linkText: 'मुझे {app} के लिए अपना नंबर सत्यापित करना है। संदर्भ: {reference}',
}
