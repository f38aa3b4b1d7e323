/** Checks that a callback comes from the gateway: by a secret in the path, an HMAC of the body, or its address. */
import { createHmac } from 'node:crypto'
import { listAddresses } from '../../platform/addresses.ts'
import type { CallbackRequest } from '../channel.ts'
import { equalsInConstantTime } from '../constant-time.ts'
import type { Gateway } from './settings.ts'

const MAX_AGE_SECONDS = 300
/** Some gateways accept no long URLs: this is the fewest characters that hold 128 bits. */
const TOKEN_CHARACTERS = 22

export type Authenticate = (request: CallbackRequest) => boolean

/** The token after the account's id in its callback URL. It reveals nothing about the secret it is derived from. */
export function callbackTokenOf({ receipts, receipt_secret }: Gateway): string | null {
  if (receipts !== 'path' || receipt_secret === undefined) return null
  const made = createHmac('sha256', receipt_secret).update('callback address').digest('base64url')
  return made.slice(0, TOKEN_CHARACTERS)
}

export function authenticateBy(gateway: Gateway): Authenticate {
  switch (gateway.receipts) {
    case 'none':
      return () => false
    case 'path': {
      const token = callbackTokenOf(gateway)
      return (request) => token !== null && equalsInConstantTime(request.token ?? '', token)
    }
    case 'addresses': {
      const isListed = listAddresses(gateway.receipt_addresses ?? [])
      return ({ address }) => isListed(address)
    }
    case 'hmac':
      return (request) => isSigned(gateway, request)
  }
}

function isSigned(gateway: Gateway, { headers, body, nowMs }: CallbackRequest): boolean {
  const { receipt_algorithm, receipt_encoding, receipt_prefix, receipt_signed } = gateway
  const given = headers[(gateway.receipt_header ?? '').toLowerCase()]
  if (given === undefined || gateway.receipt_secret === undefined) return false
  const timestamp = headers[(gateway.receipt_timestamp_header ?? '').toLowerCase()]
  if (gateway.receipt_timestamp_header !== undefined && !isRecent(timestamp, nowMs)) return false
  const hmac = createHmac(receipt_algorithm, gateway.receipt_secret)
  for (const part of receipt_signed.split(/(\{body\}|\{timestamp\})/)) {
    hmac.update(part === '{body}' ? body : part === '{timestamp}' ? (timestamp ?? '') : part)
  }
  const made = `${receipt_prefix}${hmac.digest(receipt_encoding)}`
  return equalsInConstantTime(sameCase(gateway, given), sameCase(gateway, made))
}

/** Hexadecimal digits may be in upper or lower case. */
const sameCase = ({ receipt_encoding }: Gateway, text: string) =>
  receipt_encoding === 'hex' ? text.toLowerCase() : text

function isRecent(timestamp: string | undefined, nowMs: number): boolean {
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(nowMs / 1_000 - Number(timestamp)) <= MAX_AGE_SECONDS
}
