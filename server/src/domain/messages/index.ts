export { type Autofill, autofillOf } from './autofill.ts'
export { chooseLocale, isLanguageTag, readLanguageTag } from './choose-locale.ts'
export { type LintRequest, type LintResult, lintTemplate } from './lint.ts'
export type { Problem } from './lint-rules.ts'
export { shippedLocales } from './locales.ts'
export {
  type MessageRequest,
  type RenderedMessage,
  renderLinkText,
  renderMessage,
} from './render.ts'
export {
  type AppTemplates,
  type EmailTemplate,
  type TemplateChannel,
  type TextTemplate,
  uploadedLocales,
} from './templates.ts'
export { tryMessage } from './try-message.ts'
