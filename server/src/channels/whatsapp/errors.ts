/** Cloud API error codes by consequence: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
import type { HttpResponse } from '../../platform/http-client.ts'
import type { SendOutcome } from '../channel.ts'
import { retryAfterSeconds, statusOutcome } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'

const NOT_ON_WHATSAPP = 131026
/** Limits of the app, the business account, the throughput, and messages to one person. */
const THROTTLED = new Set([4, 80007, 130429, 131056])
const TRANSIENT = new Set([1, 2, 131000, 131016, 135000])
/** This message will not be accepted: window over, opt-outs, caps, test lists, countries, bad parameters. */
const REFUSED = new Set([
  100, 130472, 130497, 131008, 131009, 131021, 131030, 131047, 131049, 131050, 131051, 131052, 131053, 131062,
  137000,
])
const BROKEN = new Set([
  // Tokens and permissions.
  0, 3, 10, 190, 131005,
  // Payment, policy, lock, certificate, maintenance, spam limits, a number that is deleted, not registered or not named.
  33,
  368, 131031, 131037, 131042, 131045, 131048, 131057, 131064, 133010,
  // Templates: missing, wrong count, policy, paused, disabled.
  132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016,
])

export function isUnreachable(code: number): boolean {
  return code === NOT_ON_WHATSAPP
}

/** Whether the account is at fault: broken, or too busy. */
export function faultOf(code: number): 'retry' | 'broken' | null {
  if (THROTTLED.has(code) || TRANSIENT.has(code)) return 'retry'
  return BROKEN.has(code) || (code >= 200 && code <= 299) ? 'broken' : null
}

/** With code 100: the sending number does not exist, or the token has no permission for it. */
const NO_SUCH_SENDER = 33

export interface GraphError {
  readonly code: number
  readonly error_subcode?: number | null | undefined
  readonly message?: string | undefined
}

export function errorOutcome(
  response: HttpResponse,
  { code, error_subcode, message = '' }: GraphError,
): SendOutcome {
  const error = providerError(code, message)
  if (isUnreachable(code)) return { kind: 'unreachable', error }
  const fault = code === 100 && error_subcode === NO_SUCH_SENDER ? 'broken' : faultOf(code)
  if (fault === 'retry') return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) }
  if (fault === 'broken') return { kind: 'broken', error }
  if (REFUSED.has(code)) return { kind: 'refused', error }
  return statusOutcome(response, message, code)
}
