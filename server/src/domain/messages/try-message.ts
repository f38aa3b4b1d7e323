/** Tries a text before it is saved: what is wrong with it, and what a person would get. */
import type { Autofill } from './autofill.ts'
import { type LintResult, lintShipped, lintTemplate } from './lint.ts'
import { type RenderedMessage, renderMessage } from './render.ts'
import type { AppTemplates, TemplateChannel } from './templates.ts'

export interface TriedMessage {
  readonly channel: TemplateChannel
  readonly locale: string
  /** Null for the text that is shipped for the locale. */
  readonly template: {
    readonly text: string
    readonly subject: string
    readonly html?: string | undefined
  } | null
  readonly appName: string
  readonly codeLength: number
  readonly codeTtlSeconds: number
  readonly autofill: Autofill | null
}

const madeUpDigits = '12345678'

export function tryMessage(tried: TriedMessage): LintResult & { readonly rendered: RenderedMessage } {
  const { channel, locale, template, appName, codeLength, autofill } = tried
  const templates: AppTemplates = template ? { [channel]: { [locale]: template } } : {}
  const rendered = renderMessage({
    channel,
    locale,
    appName,
    code: madeUpDigits.slice(0, codeLength),
    minutes: tried.codeTtlSeconds / 60,
    templates,
    autofill,
  })
  const result = template
    ? lintTemplate({ channel, locale, template, appName, codeLength, autofill })
    : lintShipped(channel, locale, rendered.text)
  return { ...result, rendered }
}
