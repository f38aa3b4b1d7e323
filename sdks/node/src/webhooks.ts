/** Webhooks: checks that a request is from the service and fresh, and reads its event. */
import { isSignedWith, sign } from './signature.ts'
import { parseEvent, type WebhookEvent, writeEvent } from './webhook-event.ts'

const signatureHeader = 'x-webhook-signature'
/** Sent for a day after a rotation, for receivers that still have the old secret. */
const previousSignatureHeader = 'x-webhook-signature-previous'
const timestampHeader = 'x-webhook-timestamp'
const defaultToleranceSeconds = 300

/** Exactly the bytes that arrived: JSON that was parsed and written again has another signature. */
export type RawBody = string | Uint8Array | ArrayBuffer
/** The headers of fetch, or of `node:http`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** How far the timestamp may be from now, either way. */
  toleranceSeconds?: number | undefined
}

export type WebhookProblem = 'missing_header' | 'stale' | 'mismatch' | 'malformed'

/** The webhook is not to be trusted: answer 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  readonly reason: WebhookProblem

  constructor(reason: WebhookProblem, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Resolves with the event if its signature is valid for one of the secrets, else rejects with a
 * `WebhookVerificationError`. Events can come twice: remember `id`.
 */
async function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody)
  const secrets = secretsOf(secret)
  const timestamp = headerOf(headers, timestampHeader)
  const signatures = [signatureHeader, previousSignatureHeader].flatMap(
    (name) => headerOf(headers, name) ?? [],
  )
  if (timestamp === undefined || signatures.length === 0)
    throw new WebhookVerificationError('missing_header', 'The request has no signature.')
  if (!isFresh(timestamp, toleranceSeconds))
    throw new WebhookVerificationError('stale', 'The timestamp is not a recent one.')

  // All of them are checked even if one matches, so that the time says nothing.
  const checks = secrets.flatMap((one) =>
    signatures.map((signature) => isSignedWith(one, signature, timestamp, body)),
  )
  if (!(await Promise.all(checks)).includes(true))
    throw new WebhookVerificationError('mismatch', 'No secret matches the signature of this body.')

  const event = parseEvent(new TextDecoder().decode(body))
  if (!event) throw new WebhookVerificationError('malformed', 'The body is not an event.')
  return event
}

export interface TestPayload {
  event: WebhookEvent
  secret: string
  /** Also signs, as after a rotation. */
  previousSecret?: string | undefined
  /** The time of signing; now, if it is left out. */
  timestamp?: Date | undefined
}

/** A request as the service would send it, for the tests of your endpoint. */
async function signTestPayload({
  event,
  secret,
  previousSecret,
  timestamp = new Date(),
}: TestPayload): Promise<{ rawBody: string; headers: Record<string, string> }> {
  const rawBody = writeEvent(event)
  const seconds = String(Math.floor(timestamp.getTime() / 1000))
  const bytes = bytesOf(rawBody)
  return {
    rawBody,
    headers: {
      'content-type': 'application/json',
      [timestampHeader]: seconds,
      [signatureHeader]: await sign(secret, seconds, bytes),
      ...(previousSecret === undefined
        ? {}
        : { [previousSignatureHeader]: await sign(previousSecret, seconds, bytes) }),
    },
  }
}

export const webhooks = { verify, signTestPayload } as const

function bytesOf(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  // Not `instanceof`: in test runners and edge runtimes the bytes may be of another realm.
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody)
  throw new TypeError('Pass the raw body, before any JSON parsing: a string or bytes.')
}

const isSecret = (one: unknown) => typeof one === 'string' && /^[!-~]+$/.test(one)

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  // An environment variable that is not set must not become a key that everybody knows. A secret that was read from a
  // file with its line break would refuse every webhook.
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isSecret))
    throw new TypeError(
      'Pass the signing secret (whsec_…), or a list of them, each alone: without blanks or a line break.',
    )
  return secrets
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers.get(name) as string | null) ?? undefined
  const [single, ...others] = Object.entries(headers as Record<string, unknown>).flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  )
  // A header that came twice is not trusted.
  return typeof single === 'string' && others.length === 0 ? single : undefined
}

function isFresh(timestamp: string, toleranceSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds
}
