/** Signatures: ours over `{timestamp}.{body}` keyed with the whole secret, and those of Standard Webhooks beside. */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

export const makeSecret = () => `${prefix}${randomBytes(secretBytes).toString('base64')}`

export interface Secrets {
  readonly current: string
  /** Signs too, for a day after a rotation. */
  readonly previous: string | null
}

const ours = (secret: string, timestamp: number, body: string) =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

const standard = (secret: string, id: string, timestamp: number, body: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`

export function signedHeaders(
  eventId: string,
  body: string,
  { current, previous }: Secrets,
  nowMs: number,
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1000)
  const secrets = previous === null ? [current] : [current, previous]
  return {
    'x-webhook-timestamp': String(timestamp),
    'x-webhook-signature': ours(current, timestamp, body),
    ...(previous === null ? {} : { 'x-webhook-signature-previous': ours(previous, timestamp, body) }),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => standard(secret, eventId, timestamp, body)).join(' '),
  }
}
