import { countSegments } from '../../channels/smpp/gsm7.ts'
import { memo } from '../../platform/memo.ts'
import { type Autofill, withAutofillLine } from './autofill.ts'
import { fill, nameAsValue } from './placeholders.ts'
import { renderEmail } from './render-email.ts'
import { shippedText } from './shipped-text.ts'
import { type AppTemplates, findTemplate } from './templates.ts'

export interface MessageRequest {
  readonly channel: 'sms' | 'whatsapp' | 'telegram' | 'email'
  /** The locale that `chooseLocale` returned; one without texts on this channel is read as the nearest shipped one. */
  readonly locale: string
  readonly appName: string
  readonly code: string
  /** How many minutes the code is still valid. */
  readonly minutes: number
  readonly templates: AppTemplates | null
  /** Used on SMS only. */
  readonly autofill: Autofill | null
}

/** `subject` and `html` are empty except on email. */
export interface RenderedMessage {
  readonly text: string
  readonly subject: string
  readonly html: string
}

interface Values {
  readonly code: string
  readonly app: string
  readonly minutes: string
}

export function renderMessage(request: MessageRequest): RenderedMessage {
  const { channel, locale, code, templates, autofill } = request
  const minutes = Math.max(1, Math.round(request.minutes))
  const appName = nameAsValue(request.appName)
  const values: Values = { code, app: appName, minutes: String(minutes) }
  switch (channel) {
    case 'email':
      return renderEmail({ locale, appName, code, minutes, template: findTemplate(templates?.email, locale) })
    case 'sms':
      return textOnly(smsText({ locale, values, autofill }, findTemplate(templates?.sms, locale)?.text))
    case 'whatsapp':
      return textOnly(whatsappText(locale, values, minutes, findTemplate(templates?.whatsapp, locale)?.text))
    case 'telegram':
      // Telegram uses its own text around the code; this one is only a substitute for it.
      return textOnly(fill(shippedText(locale).codeWithWarning, values))
  }
}

/** What the person's own message says when they open the `wa.me` link. */
export function renderLinkText(request: {
  readonly locale: string
  readonly appName: string
  readonly reference: string
}): string {
  const { linkText } = shippedText(request.locale).language
  return fill(linkText, { app: nameAsValue(request.appName), reference: request.reference })
}

interface SmsRequest {
  readonly locale: string
  readonly values: Values
  readonly autofill: Autofill | null
}

const smsText = (request: SmsRequest, own: string | undefined) =>
  finishSms(own ?? chooseSms(request), request)

const finishSms = (template: string, { values, autofill }: SmsRequest) =>
  withAutofillLine(fill(template, values), values.code, autofill)

/** The complete text, unless the brief one needs fewer segments. All digits are equally long, so the code may vary. */
const chooseSms = memo(
  1_000,
  ({ locale, values, autofill }: SmsRequest) =>
    JSON.stringify([locale, values.code.length, values.app, values.minutes, autofill]),
  (request) => {
    const { codeWithWarning, language } = shippedText(request.locale)
    const segments = (template: string) => countSegments(finishSms(template, request)).segments
    return segments(language.codeLine) < segments(codeWithWarning) ? language.codeLine : codeWithWarning
  },
)

function whatsappText(locale: string, values: Values, minutes: number, own: string | undefined): string {
  const { codeWithWarning, expiryLine } = shippedText(locale)
  return fill(own ?? `${codeWithWarning}\n${expiryLine(minutes)}`, values)
}

function textOnly(text: string): RenderedMessage {
  return { text, subject: '', html: '' }
}
