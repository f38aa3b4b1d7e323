/** A carrier under the test's control. The test knows its accounts' secrets, so it can report anything at any time. */
import assert from 'node:assert/strict'
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { after } from 'node:test'
import type { TestApp } from './app.ts'
import type { ServiceUnderTest } from './service.ts'

export interface Taken {
  readonly deliveryId: string
  readonly messageId: string
  readonly code: string
}

export type CarrierChannel = 'whatsapp' | 'telegram'
type Word = 'sent' | 'delivered' | 'read' | 'failed'

interface Carrier {
  readonly url: string
  /** The answer to a send; null accepts the message. */
  onSend: (taken: Taken) => Promise<{ status: number; body: unknown } | null>
  readonly taken: Taken[]
}

/** Listens until all tests of the file have ended. */
async function openCarrier(): Promise<Carrier> {
  const taken: Taken[] = []
  // It never closes an idle connection: after a pause of the machine, a call might just be using it.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const message = readSend((await json(request)) as SendBody)
    taken.push(message)
    const refusal = await carrier.onSend(message)
    const { status, body } = refusal ?? { status: 200, body: acceptance(message, request.url ?? '') }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const carrier: Carrier = { url: `http://127.0.0.1:${address.port}`, onSend: async () => null, taken }
  return carrier
}

interface SendBody {
  readonly biz_opaque_callback_data?: string
  readonly payload?: string
  readonly code?: string
  readonly template?: { components: { parameters: { text: string }[] }[] }
  readonly text?: { body: string }
}

function readSend(body: SendBody): Taken {
  const code = body.code ?? body.template?.components[0]?.parameters[0]?.text ?? body.text?.body ?? ''
  const deliveryId = body.biz_opaque_callback_data ?? body.payload ?? ''
  return { deliveryId, code, messageId: `wamid.${randomBytes(12).toString('hex')}` }
}

const acceptance = ({ messageId }: Taken, path: string): unknown =>
  path.includes('sendVerificationMessage')
    ? { ok: true, result: { request_id: messageId, phone_number: '1', request_cost: 0.01 } }
    : { messaging_product: 'whatsapp', contacts: [], messages: [{ id: messageId }] }

export interface Callback {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** A company's account at such a carrier. */
export class CarrierAccount {
  readonly carrier: Carrier
  readonly providerId: string
  readonly number = '+15550009999'
  readonly #channel: CarrierChannel
  readonly #secret: string
  readonly #url: string

  constructor(
    carrier: Carrier,
    options: { providerId: string; channel: CarrierChannel; secret: string; url: string },
  ) {
    this.carrier = carrier
    this.providerId = options.providerId
    this.#channel = options.channel
    this.#secret = options.secret
    this.#url = options.url
  }

  /** A receipt for a message, signed as this carrier signs. */
  receipt(word: Word, names: { deliveryId?: string; messageId: string }): Callback {
    const { deliveryId, messageId } = names
    if (this.#channel === 'whatsapp') {
      const callbackData = deliveryId === undefined ? {} : { biz_opaque_callback_data: deliveryId }
      const errors = word === 'failed' ? { errors: [{ code: 131049, title: 'Held back' }] } : {}
      return this.#signWhatsapp({ statuses: [{ id: messageId, status: word, ...callbackData, ...errors }] })
    }
    const status = word === 'failed' ? 'expired' : word
    const payload = deliveryId === undefined ? {} : { payload: deliveryId }
    return this.signTelegram({ request_id: messageId, delivery_status: { status }, ...payload })
  }

  inbound(from: string, text: string): Callback {
    return this.#signWhatsapp({
      messages: [
        {
          from: from.slice(1),
          id: `wamid.${randomUUID()}`,
          timestamp: '1',
          type: 'text',
          text: { body: text },
        },
      ],
    })
  }

  signTelegram(report: unknown, atSeconds = Math.floor(Date.now() / 1_000)): Callback {
    const body = JSON.stringify(report)
    const key = createHash('sha256').update(this.#secret).digest()
    const signature = createHmac('sha256', key).update(`${atSeconds}\n${body}`).digest('hex')
    return {
      body,
      headers: { 'x-request-timestamp': String(atSeconds), 'x-request-signature': signature },
    }
  }

  #signWhatsapp(value: Readonly<Record<string, unknown>>): Callback {
    const metadata = { display_phone_number: '15550009999', phone_number_id: '42' }
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value: { metadata, ...value } }] }],
    })
    const signature = createHmac('sha256', this.#secret).update(body).digest('hex')
    return { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } }
  }

  /** Calls the service back, at this account's address or at another account's. */
  async callBack({ body, headers }: Callback, providerId = this.providerId): Promise<number> {
    const response = await fetch(`${this.#url}/hooks/${providerId}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    await response.text()
    return response.status
  }
}

export async function openAccount(
  { caller, running }: ServiceUnderTest,
  app: TestApp,
  channel: CarrierChannel,
  priority = 1,
): Promise<CarrierAccount> {
  const carrier = await openCarrier()
  const secret = randomBytes(16).toString('hex')
  const settings =
    channel === 'telegram'
      ? { token: secret, base_url: carrier.url }
      : {
          phone_number_id: '42',
          number: '+15550009999',
          access_token: 'token',
          app_secret: secret,
          verify_token: secret,
          template_name: 'code',
          base_url: carrier.url,
        }
  const { status, body } = await caller.call<{ provider_id: string }>('POST', '/manage/v1/providers', {
    key: running.adminToken,
    body: { company_id: app.companyId, channel, kind: channel, settings, priority },
  })
  assert.equal(status, 201, JSON.stringify(body))
  return new CarrierAccount(carrier, { providerId: body.provider_id, channel, secret, url: running.url })
}
