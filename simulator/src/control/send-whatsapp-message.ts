import { json } from '../http/answer.ts'
import { FieldReader } from '../http/fields.ts'
import { readJson } from '../http/read-body.ts'
import { Refusal } from '../http/refusal.ts'
import type { Handler } from '../http/router.ts'
import type { WhatsAppPeople } from '../wires/whatsapp/people.ts'
import type { WhatsAppWebhook } from '../wires/whatsapp/webhook.ts'
import { parsePhone, parsePhoneOrNull, parseText } from './parsers.ts'

/** A person writes to the business. The service's answer to the webhook decides what we answer. */
export function sendWhatsAppMessage(people: WhatsAppPeople, webhook: WhatsAppWebhook): Handler {
  return async ({ request }) => {
    const fields = new FieldReader(await readJson(request), ['from', 'to', 'text'])
    const from = fields.read('from', parsePhoneOrNull, null)
    const to = fields.read('to', parsePhone, '')
    const text = fields.read('text', parseText, '')
    fields.finish()
    const message = people.write({ from, to, text })
    const result = await webhook.sendInbound(message)
    if ('status' in result && result.status === 200) return json(200, { id: message.id, delivered: true })
    const reason = 'status' in result ? `the service answered ${result.status}` : result.failure
    throw new Refusal(502, 'WebhookError', `the service did not take the message: ${reason}`, {
      id: message.id,
    })
  }
}

/** The handshake with which a webhook is registered. */
export function subscribeWhatsApp(webhook: WhatsAppWebhook): Handler {
  return async () => {
    if (await webhook.handshake()) return json(200, { verified: true })
    throw new Refusal(502, 'WebhookError', 'the service did not return the challenge')
  }
}
