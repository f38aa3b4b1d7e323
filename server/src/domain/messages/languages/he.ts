import type { Language } from '../language.ts'

/** Hebrew, without gender: «יש» and «אין» instead of imperatives. */
export const he: Language = {
  codeLine: '{code} הוא הקוד שלך ל-{app}.',
  warning: 'אין למסור אותו לאיש.',
  expiry: { one: 'בתוקף לדקה אחת.', two: 'בתוקף לשתי דקות.', other: 'בתוקף ל-{minutes} דקות.' },
  subject: 'קוד האימות שלך ל-{app}',
  heading: 'כדי להמשיך ב-{app}, יש להזין את הקוד הזה:',
  notYou: 'אם לא ביקשת את הקוד הזה, אפשר להתעלם מהודעה זו. אין למסור את הקוד לאיש.',
  linkText: 'ברצוני לאמת את המספר שלי ב-{app}. מזהה: {reference}',
}
