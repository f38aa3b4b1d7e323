import type { Language } from '../language.ts'

/** Ukrainian. */
export const uk: Language = {
  codeLine: '{code} — ваш код для {app}.',
  warning: 'Нікому його не повідомляйте.',
  expiry: {
    one: 'Діє {minutes} хвилину.',
    few: 'Діє {minutes} хвилини.',
    many: 'Діє {minutes} хвилин.',
    other: 'Діє {minutes} хвилини.',
  },
  subject: 'Ваш код підтвердження для {app}',
  heading: 'Щоб продовжити в {app}, введіть цей код:',
  notYou: 'Якщо ви не запитували цей код, просто проігноруйте цей лист. Нікому не повідомляйте код.',
  linkText: 'Я хочу підтвердити свій номер для {app}. Ідентифікатор: {reference}',
}
