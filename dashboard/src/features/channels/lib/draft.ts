/** A text of the app's own while it is being edited. */
import type { AppSettings } from '@countersign/contract'
import type { AnswerOf } from '#lib/client.ts'
import type { MessageChannel } from '../search.ts'

export interface Draft {
  readonly subject: string
  readonly text: string
  /** Null if it is made from the text. */
  readonly html: string | null
}

type Messages = AppSettings['messages']

/** Every text of the app's own, and those that are being edited. Null if there is none, or it was discarded. */
export interface TextValues {
  readonly messages: Readonly<Record<MessageChannel, Readonly<Record<string, Draft | null>>>>
}

const draftsOf = (messages: Messages, channel: MessageChannel) =>
  Object.fromEntries(
    Object.keys(messages[channel]).map((locale) => [locale, savedDraft(messages, channel, locale)]),
  )

export const textValues = (messages: Messages): TextValues => ({
  messages: {
    sms: draftsOf(messages, 'sms'),
    whatsapp: draftsOf(messages, 'whatsapp'),
    email: draftsOf(messages, 'email'),
  },
})

export const withDraft = (
  { messages }: TextValues,
  channel: MessageChannel,
  locale: string,
  draft: Draft | null,
): TextValues['messages'] => ({ ...messages, [channel]: { ...messages[channel], [locale]: draft } })

export const isSameDraft = (one: Draft | null, other: Draft | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Whether there is an unsaved text in any language. */
export const hasUnsavedDraft = ({ messages }: TextValues, saved: Messages): boolean =>
  (['sms', 'whatsapp', 'email'] as const).some((channel) =>
    Object.entries(messages[channel]).some(
      ([locale, draft]) => draft && !isSameDraft(draft, savedDraft(saved, channel, locale)),
    ),
  )

export function savedDraft(messages: Messages, channel: MessageChannel, locale: string): Draft | null {
  if (channel !== 'email') {
    const own = messages[channel][locale]
    return own ? { subject: '', text: own.text, html: null } : null
  }
  const own = messages.email[locale]
  return own ? { subject: own.subject, text: own.text, html: own.html ?? null } : null
}

/** The draft in the form that the linter takes. */
export const templateOf = (channel: MessageChannel, { subject, text, html }: Draft) =>
  channel === 'email' ? { subject, text, ...(html === null ? {} : { html }) } : { text }

/** The change of settings that saves a draft. Without a draft the text is removed; without `html`, its own HTML. */
export const messageChange = (channel: MessageChannel, locale: string, draft: Draft | null) => ({
  messages: { [channel]: { [locale]: draft && changeOf(channel, draft) } },
})

const changeOf = (channel: MessageChannel, { subject, text, html }: Draft) =>
  channel === 'email' ? { subject, text, html } : { text }

type Rendered = AnswerOf<'lintMessage'>['rendered']

interface Circumstances {
  readonly name: string
  readonly code_length: number
  readonly code_ttl_s: number
  readonly autofill: AppSettings['autofill']
}

/** The digits from which the linter makes an example code. */
const madeUpDigits = '12345678'

/** Turns the shipped text into a draft: values that were filled in become placeholders again. */
export function draftFrom(rendered: Rendered, app: Circumstances): Draft {
  const code = madeUpDigits.slice(0, app.code_length)
  const minutes = String(Math.max(1, Math.round(app.code_ttl_s / 60)))
  const hasLine = Boolean(app.autofill.web_domain || app.autofill.android_hash)
  const restore = (text: string) =>
    text.replaceAll(app.name, '{app}').replaceAll(code, '{code}').replaceAll(minutes, '{minutes}')
  const text = hasLine && rendered.subject === null ? rendered.text.replace(/\n[^\n]*$/, '') : rendered.text
  return { subject: restore(rendered.subject ?? ''), text: restore(text), html: null }
}
