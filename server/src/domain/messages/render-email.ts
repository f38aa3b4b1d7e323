import { directionOf } from './choose-locale.ts'
import { emailHtml, escapeHtml } from './email-html.ts'
import { fill } from './placeholders.ts'
import { type ShippedText, shippedText } from './shipped-text.ts'
import type { EmailTemplate } from './templates.ts'

export interface EmailRequest {
  readonly locale: string
  readonly appName: string
  readonly code: string
  readonly minutes: number
  readonly template: EmailTemplate | undefined
}

/** The plain text and the HTML come from one template, so that they say the same. */
export function renderEmail(request: EmailRequest): { text: string; subject: string; html: string } {
  const shipped = shippedText(request.locale)
  const template = request.template ?? shippedTemplate(shipped, request.minutes)
  const locale = request.template === undefined ? shipped.locale : request.locale
  const { code } = request
  const minutes = String(request.minutes)
  const plain = (text: string) => fill(text, { code, minutes, app: request.appName })
  const escapedApp = escapeHtml(request.appName)
  const subject = plain(template.subject)
  const html =
    template.html === undefined
      ? emailHtml({
          locale,
          direction: directionOf(locale),
          title: subject,
          preheader: plain(preheaderOf(request, shipped)),
          paragraphs: paragraphsOf(template.text),
          // The name is isolated, because it may run against the direction of the sentence around it.
          fill: (text) => fill(text, { code, minutes, app: `<bdi>${escapedApp}</bdi>` }),
        })
      : fill(template.html, { code, minutes, app: escapedApp })
  return { text: plain(template.text), subject, html }
}

function shippedTemplate({ language, expiryLine }: ShippedText, minutes: number): EmailTemplate {
  return {
    subject: language.subject,
    text: [language.heading, '{code}', expiryLine(minutes), language.notYou].join('\n\n'),
  }
}

/** The code comes first: read on a locked phone, it saves opening the mail. An app's own text shows its beginning. */
function preheaderOf(request: EmailRequest, shipped: ShippedText): string {
  return request.template === undefined
    ? `{code} · ${shipped.expiryLine(request.minutes)}`
    : (paragraphsOf(request.template.text)[0] ?? '')
}

function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}
