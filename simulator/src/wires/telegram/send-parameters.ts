import { randomInt } from 'node:crypto'
import { findPhone } from '../../recipient.ts'

export interface SendParameters {
  readonly phone: string
  readonly requestId: string | null
  readonly code: string
  readonly ttlSeconds: number | null
  readonly payload: string | null
  readonly callbackUrl: string | null
}

const MAX_CALLBACK_URL_BYTES = 256
const MAX_PAYLOAD_BYTES = 128
const MIN_TTL_SECONDS = 30
const MAX_TTL_SECONDS = 3_600

/** Returns the parameters of a send, or the gateway's name for what is wrong with them. */
export function parseSendParameters(given: Map<string, string>): SendParameters | string {
  const phone = findPhone(given.get('phone_number') ?? '')
  if (phone === null) return 'PHONE_NUMBER_INVALID'
  const code = parseCode(given.get('code'), given.get('code_length'))
  if ('error' in code) return code.error
  const ttl = given.get('ttl')
  const ttlSeconds = ttl === undefined ? null : Number(ttl)
  if (ttlSeconds !== null && !isTtl(ttlSeconds)) return 'TTL_INVALID'
  const payload = given.get('payload') ?? null
  if (payload !== null && Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return 'PAYLOAD_INVALID'
  const callbackUrl = given.get('callback_url') || null
  if (callbackUrl !== null && !isCallbackUrl(callbackUrl)) return 'CALLBACK_URL_INVALID'
  const sender = given.get('sender_username')
  if (sender !== undefined && !/^@?[A-Za-z][A-Za-z0-9_]{3,31}$/.test(sender)) return 'SENDER_USERNAME_INVALID'
  return {
    phone,
    requestId: given.get('request_id') ?? null,
    code: code.value,
    ttlSeconds,
    payload,
    callbackUrl,
  }
}

function parseCode(
  code: string | undefined,
  length: string | undefined,
): { value: string } | { error: string } {
  if (code !== undefined) return /^\d{4,8}$/.test(code) ? { value: code } : { error: 'CODE_INVALID' }
  if (length === undefined) return { error: 'CODE_LENGTH_REQUIRED' }
  if (!/^[4-8]$/.test(length)) return { error: 'CODE_LENGTH_INVALID' }
  return { value: Array.from({ length: Number(length) }, () => randomInt(10)).join('') }
}

function isTtl(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= MIN_TTL_SECONDS && seconds <= MAX_TTL_SECONDS
}

// The real gateway requires https, but on one machine there is no certificate.
function isCallbackUrl(url: string): boolean {
  return Buffer.byteLength(url) <= MAX_CALLBACK_URL_BYTES && /^https?:\/\//.test(url) && URL.canParse(url)
}
