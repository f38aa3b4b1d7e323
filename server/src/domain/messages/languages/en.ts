import type { Language } from '../language.ts'

/** English. */
export const en: Language = {
  codeLine: '{code} is your {app} code.',
  warning: 'Do not share it with anyone.',
  expiry: { one: 'Valid for {minutes} minute.', other: 'Valid for {minutes} minutes.' },
  subject: 'Your {app} verification code',
  heading: 'To continue with {app}, enter this code:',
  notYou: 'If you did not ask for this code, you can ignore this email. Do not share the code with anyone.',
  linkText: 'I want to verify my number with {app}. Reference: {reference}',
}
