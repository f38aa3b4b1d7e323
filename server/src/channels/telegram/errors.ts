/** The names of Telegram Gateway errors, grouped by their consequence. */
import type { HttpResponse } from '../../platform/http-client.ts'
import type { SendOutcome } from '../channel.ts'
import { retryAfterSeconds } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'

const UNREACHABLE = new Set(['PHONE_NUMBER_NOT_FOUND', 'PHONE_NUMBER_NOT_AVAILABLE'])
const BROKEN = new Set([
  'ACCESS_TOKEN_INVALID',
  'ACCESS_TOKEN_REQUIRED',
  'BALANCE_NOT_ENOUGH',
  'CALLBACK_URL_INVALID',
  'UNKNOWN_METHOD',
])
const FLOOD_WAIT = /^FLOOD_WAIT(?:_(\d{1,6}))?/
const ERROR_NAME = /^[A-Z][A-Z0-9_]{0,63}$/

export function errorOutcome(response: HttpResponse, name: string): SendOutcome {
  const code = ERROR_NAME.test(name) ? name : 'unknown_error'
  const error = providerError(code, 'Telegram did not take the message.')
  const flood = FLOOD_WAIT.exec(code)
  if (flood !== null) {
    const seconds = flood[1] === undefined ? retryAfterSeconds(response) : Number(flood[1])
    return { kind: 'retry', error, afterSeconds: seconds }
  }
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', error }
  if (BROKEN.has(code) || code.startsWith('SENDER_')) return { kind: 'broken', error }
  return { kind: 'refused', error }
}
