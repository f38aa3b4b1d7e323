export { autofillOf } from './autofill.ts'
export { chooseLocale, isLanguageTag, readLanguageTag } from './choose-locale.ts'
export { escapeHtml } from './email-html.ts'
export { lintTemplate } from './lint.ts'
export { shippedLocales } from './locales.ts'
export {
  renderLinkText,
  renderMessage,
} from './render.ts'
export {
  type AppTemplates,
  uploadedLocales,
} from './templates.ts'
export { tryMessage } from './try-message.ts'
