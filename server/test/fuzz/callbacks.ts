/** Providers' callbacks, signed as they sign them, so that the body behind the signature is read. */
import { createHash, createHmac } from 'node:crypto'
import type { Random } from './random.ts'
import { formOf, type Schema, type Values } from './values.ts'

const secret = 'a secret of the account'
/** An address on this machine where nothing listens. */
const base_url = 'http://127.0.0.1:9'

export const accounts = [
  {
    channel: 'sms',
    kind: 'http',
    settings: {
      base_url,
      body_type: 'none',
      receipts: 'addresses',
      receipt_addresses: ['127.0.0.1'],
      receipt_id_at: ['/id'],
      receipt_state_at: ['/state'],
      receipt_states: { ok: 'delivered', bad: 'failed' },
    },
  },
  {
    channel: 'whatsapp',
    kind: 'whatsapp',
    settings: {
      base_url,
      phone_number_id: '1',
      number: '+15550001111',
      access_token: secret,
      app_secret: secret,
      verify_token: secret,
      template_name: 'code',
    },
  },
  {
    channel: 'sms',
    kind: 'twilio',
    settings: { base_url, account_sid: `AC${'0'.repeat(32)}`, auth_token: secret, from: '+15005550006' },
  },
  { channel: 'telegram', kind: 'telegram', settings: { base_url, token: secret } },
] as const

const text: Schema = { type: 'string' }
const oneOf = (...values: string[]): Schema => ({ anyOf: [{ enum: values }, text] })
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const many = (items: Schema): Schema => ({ type: 'array', items })

/** The reports of each account above, in the same order. */
const reports: readonly Schema[] = [
  object({ id: text, state: oneOf('ok', 'bad') }),
  object({
    entry: many(
      object({
        changes: many(
          object({
            value: object({
              metadata: object({ phone_number_id: { const: '1' } }),
              statuses: many(
                object({
                  id: text,
                  status: oneOf('delivered', 'read', 'failed', 'sent'),
                  biz_opaque_callback_data: text,
                  errors: many(object({ code: { type: 'integer' }, title: text })),
                }),
              ),
              messages: many(
                object({ id: text, from: text, type: oneOf('text', 'button'), text: object({ body: text }) }),
              ),
            }),
          }),
        ),
      }),
    ),
  }),
  object({
    MessageSid: text,
    MessageStatus: oneOf('delivered', 'undelivered', 'failed', 'sent'),
    ErrorCode: text,
  }),
  object({
    request_id: text,
    delivery_status: object({ status: oneOf('delivered', 'read', 'expired', 'revoked') }),
    payload: text,
  }),
]

const shareOfMutated = 0.2

export function signedCallback(random: Random, values: Values, accountIds: readonly string[]) {
  const index = random.below(accounts.length)
  const { kind } = accounts[index] ?? accounts[0]
  const report = values.of(reports[index] ?? {}, 'report')
  const written = Buffer.from(kind === 'twilio' ? formOf(report) : JSON.stringify(report))
  const body = random.chance(shareOfMutated) ? random.mutate(written) : written
  const query = kind === 'twilio' ? `?${formOf({ delivery: values.text('delivery_id') })}` : ''
  const url = `/hooks/${accountIds[index]}${query}`
  return { method: 'POST', url, headers: { ...typeOf(kind), ...signatureOf(kind, url, body) }, body }
}

const typeOf = (kind: string) => ({
  'content-type': kind === 'twilio' ? 'application/x-www-form-urlencoded' : 'application/json',
})

function signatureOf(kind: string, url: string, body: Buffer): Record<string, string> {
  if (kind === 'whatsapp') {
    return { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
  }
  if (kind === 'twilio') {
    const fields = [...new URLSearchParams(body.toString())].sort(([one], [other]) => (one < other ? -1 : 1))
    const signed = `http://localhost${url}${fields.map(([name, value]) => name + value).join('')}`
    return { 'x-twilio-signature': createHmac('sha1', secret).update(signed).digest('base64') }
  }
  if (kind === 'telegram') {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const key = createHash('sha256').update(secret).digest()
    const mac = createHmac('sha256', key).update(`${timestamp}\n`).update(body).digest('hex')
    return { 'x-request-timestamp': timestamp, 'x-request-signature': mac }
  }
  return {}
}
