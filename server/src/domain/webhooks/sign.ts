/**
 * Signatures: the service's own over `{timestamp}.{body}`, keyed with the whole secret, and beside them those of
 * Standard Webhooks. The latter are keyed with the decoded bytes of a secret that is `whsec_` and base64, and with the
 * text of any other, which their libraries call a raw secret.
 */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

export const makeSecret = () => `${prefix}${randomBytes(secretBytes).toString('base64')}`

export interface Secrets {
  readonly current: string
  /** Also signs, for a day after a rotation. */
  readonly previous: string | null
}

const ours = (secret: string, timestamp: number, body: string) =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

const encoded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function standardKey(secret: string): Buffer {
  const rest = secret.startsWith(prefix) ? secret.slice(prefix.length) : null
  return rest !== null && encoded.test(rest) ? Buffer.from(rest, 'base64') : Buffer.from(secret)
}

const standard = (secret: string, id: string, timestamp: number, body: string) =>
  `v1,${createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`

/**
 * The parts of the headers that differ in each attempt, in one line: the time, and for each secret the service's own
 * signature and that of Standard Webhooks. It is stored with the attempt, and all headers can be made from it again.
 */
export function sign(eventId: string, body: string, { current, previous }: Secrets, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1000)
  const secrets = previous === null ? [current] : [current, previous]
  const signatures = secrets.flatMap((secret) => [
    ours(secret, timestamp, body),
    standard(secret, eventId, timestamp, body),
  ])
  return [timestamp, ...signatures].join(' ')
}

export function signedHeaders(eventId: string, signed: string): Record<string, string> {
  const [timestamp = '', signature = '', standard = '', previous, previousStandard] = signed.split(' ')
  return {
    'X-Webhook-Timestamp': timestamp,
    'X-Webhook-Signature': signature,
    ...(previous === undefined ? {} : { 'X-Webhook-Signature-Previous': previous }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': previousStandard === undefined ? standard : `${standard} ${previousStandard}`,
  }
}
