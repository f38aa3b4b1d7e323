import type { Language } from '../language.ts'

/** Bengali. */
export const bn: Language = {
  codeLine: '{code} আপনার {app} কোড।',
  warning: 'এটি কাউকে জানাবেন না।',
  expiry: { other: 'এটি {minutes} মিনিট পর্যন্ত বৈধ।' },
  subject: 'আপনার {app} যাচাইকরণ কোড',
  heading: '{app}-এ চালিয়ে যেতে এই কোডটি লিখুন:',
  notYou: 'আপনি এই কোড না চেয়ে থাকলে ইমেইলটি উপেক্ষা করুন। কোডটি কাউকে জানাবেন না।',
  linkText: 'আমি {app}-এর জন্য আমার নম্বর যাচাই করতে চাই। রেফারেন্স: {reference}',
}
