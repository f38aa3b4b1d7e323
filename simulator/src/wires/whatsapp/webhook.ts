import { createHash, randomUUID } from 'node:crypto'
import type { CallbackResult, CallbackSender, SignedCallback } from '../../callback-sender.ts'
import type { WhatsAppOptions } from '../../options.ts'
import type { WrittenMessage } from './people.ts'
import { signWebhook } from './signature.ts'
import { toWaId } from './wa-id.ts'

const BUSINESS_ACCOUNT_ID = '102290129340398'

/** The signed webhooks of the Cloud API. */
export class WhatsAppWebhook {
  readonly #options: WhatsAppOptions
  readonly #sender: CallbackSender

  constructor(options: WhatsAppOptions, sender: CallbackSender) {
    this.#options = options
    this.#sender = sender
  }

  sendStatus(phone: string, status: Record<string, unknown>): Promise<void> {
    const value = { contacts: [contact(phone)], statuses: [status] }
    return this.#sender.postUntilAccepted(this.#sign(value, this.#options.displayPhoneNumber))
  }

  /** A refusal is not retried: the person sees that it failed, and can send again. */
  async sendInbound(message: WrittenMessage): Promise<CallbackResult> {
    const sender = message.from === null ? {} : { from: toWaId(message.from) }
    const timestamp = String(Math.floor(Date.parse(message.sent_at) / 1_000))
    const inbound = { ...sender, id: message.id, timestamp, type: 'text', text: { body: message.text } }
    const value = { contacts: [contact(message.from)], messages: [inbound] }
    const callback = this.#sign(value, message.to)
    const result = await this.#sender.post(callback)
    // Tried once more, since an idle connection may have died when the service was restarted.
    return 'failure' in result ? this.#sender.post(callback) : result
  }

  async handshake(): Promise<boolean> {
    const challenge = randomUUID()
    const url = new URL(this.#options.webhookUrl)
    url.searchParams.set('hub.mode', 'subscribe')
    url.searchParams.set('hub.verify_token', this.#options.verifyToken)
    url.searchParams.set('hub.challenge', challenge)
    const result = await this.#sender.get(url.href)
    return 'status' in result && result.status === 200 && result.text === challenge
  }

  #sign(value: Record<string, unknown>, businessNumber: string): SignedCallback {
    const display = businessNumber.replace(/^\+/, '')
    const own = display === this.#options.displayPhoneNumber.replace(/^\+/, '')
    // Another business number gets another id, which the service does not know.
    const metadata = {
      display_phone_number: display,
      phone_number_id: own ? this.#options.phoneNumberId : `9${display}`,
    }
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: BUSINESS_ACCOUNT_ID, changes: [change] }],
    })
    const headers = { 'x-hub-signature-256': signWebhook(this.#options.appSecret, body) }
    return { url: this.#options.webhookUrl, body, headers: () => headers }
  }
}

function contact(phone: string | null): Record<string, unknown> {
  const identity = phone === null ? randomUUID() : toWaId(phone)
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 15)
  const user = { profile: { name: 'Simulated person' }, user_id: `ZZ.${BigInt(`0x${digest}`)}` }
  return phone === null ? user : { ...user, wa_id: toWaId(phone) }
}
