import type { Language } from '../language.ts'

/** Bulgarian. */
export const bg: Language = {
  codeLine: '{code} е вашият код за {app}.',
  warning: 'Не го споделяйте с никого.',
  expiry: { one: 'Валиден {minutes} минута.', other: 'Валиден {minutes} минути.' },
  subject: 'Вашият код за потвърждение от {app}',
  heading: 'За да продължите в {app}, въведете този код:',
  notYou: 'Ако не сте поискали този код, игнорирайте този имейл. Не споделяйте кода с никого.',
  linkText: 'Искам да потвърдя номера си в {app}. Идентификатор: {reference}',
}
