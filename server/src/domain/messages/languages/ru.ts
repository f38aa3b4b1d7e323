import type { Language } from '../language.ts'

/** Russian. */
export const ru: Language = {
  codeLine: '{code} — ваш код для {app}.',
  warning: 'Никому его не сообщайте.',
  expiry: {
    one: 'Действует {minutes} минуту.',
    few: 'Действует {minutes} минуты.',
    many: 'Действует {minutes} минут.',
    other: 'Действует {minutes} минуты.',
  },
  subject: 'Ваш код подтверждения для {app}',
  heading: 'Чтобы продолжить в {app}, введите этот код:',
  notYou: 'Если вы не запрашивали этот код, просто проигнорируйте это письмо. Никому не сообщайте код.',
  linkText: 'Я хочу подтвердить свой номер для {app}. Идентификатор: {reference}',
}
