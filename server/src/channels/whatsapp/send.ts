import { z } from 'zod'
import type { HttpClient, HttpResponse } from '../../platform/http-client.ts'
import { joinUrl } from '../base-url.ts'
import type { OutgoingMessage, SendOutcome } from '../channel.ts'
import { failureOutcome, parseJson, statusOutcome } from '../http-outcome.ts'
import { errorOutcome } from './errors.ts'
import type { WhatsappSettings } from './settings.ts'
import { templateLanguage } from './template-language.ts'
import { detail, errorCode } from './webhook.ts'

const accepted = z.object({ messages: z.tuple([z.object({ id: z.string().min(1) })], z.unknown()) })
const failed = z.object({
  error: z.object({ code: errorCode, error_subcode: z.number().nullish().catch(null), message: detail }),
})

export async function sendMessage(
  http: HttpClient,
  settings: WhatsappSettings,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const result = await http.send(
    {
      method: 'POST',
      url: joinUrl(settings.base_url, `${settings.phone_number_id}/messages`),
      headers: { authorization: `Bearer ${settings.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: message.recipient.replace(/^\+/, ''),
        biz_opaque_callback_data: message.deliveryId,
        ...(message.inReplyTo === null
          ? template(settings, message)
          : reply(message.text, message.inReplyTo)),
      }),
    },
    signal,
  )
  return result.kind === 'response' ? readAnswer(result) : failureOutcome(result)
}

// Authentication templates need the code twice: for the text and for the copy button.
function template(settings: WhatsappSettings, message: OutgoingMessage): object {
  const parameters = [{ type: 'text', text: message.code }]
  return {
    type: 'template',
    template: {
      name: settings.template_name,
      language: { code: templateLanguage(message.locale, settings.template_languages) },
      components: [
        { type: 'body', parameters },
        { type: 'button', sub_type: 'url', index: '0', parameters },
      ],
    },
  }
}

function reply(text: string, inReplyTo: string): object {
  return { context: { message_id: inReplyTo }, type: 'text', text: { preview_url: false, body: text } }
}

function readAnswer(response: HttpResponse): SendOutcome {
  const body = parseJson(response.body)
  const error = failed.safeParse(body)
  if (error.success) return errorOutcome(response, error.data.error)
  if (response.status < 300) {
    const message = accepted.safeParse(body)
    if (message.success) return { kind: 'accepted', messageId: message.data.messages[0].id }
    return statusOutcome(response, 'The answer could not be read.')
  }
  return statusOutcome(response, `WhatsApp answered ${response.status}.`)
}
