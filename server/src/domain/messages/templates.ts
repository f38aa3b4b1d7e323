export type TemplateChannel = 'sms' | 'whatsapp' | 'email'

/** A text that may contain `{code}`, `{app}` and `{minutes}`. */
export interface TextTemplate {
  readonly text: string
}

/** If `html` is absent, it is made from `text`. */
export interface EmailTemplate extends TextTemplate {
  readonly subject: string
  readonly html?: string | undefined
}

type ByLocale<Template> = Readonly<Record<string, Template>>

/** An app's own texts, if it has uploaded any. Telegram writes its own, so there are none for it. */
export interface AppTemplates {
  readonly sms?: ByLocale<TextTemplate>
  readonly whatsapp?: ByLocale<TextTemplate>
  readonly email?: ByLocale<EmailTemplate>
}

/** The locales an app has its own text in: what `chooseLocale` takes beside the shipped ones. */
export function uploadedLocales(
  templates: AppTemplates | null,
  channel: TemplateChannel,
): ReadonlySet<string> {
  return new Set(Object.keys(templates?.[channel] ?? {}))
}

/** `locale` comes from outside: a name such as `constructor` must not find an inherited property. */
export function findTemplate<Template>(
  byLocale: ByLocale<Template> | undefined,
  locale: string,
): Template | undefined {
  return byLocale !== undefined && Object.hasOwn(byLocale, locale) ? byLocale[locale] : undefined
}
