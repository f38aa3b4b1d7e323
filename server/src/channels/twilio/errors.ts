/** Twilio's error codes, grouped by their consequence: https://www.twilio.com/docs/api/errors */
import type { HttpResponse } from '../../platform/http-client.ts'
import type { SendOutcome } from '../channel.ts'
import { retryAfterSeconds, statusOutcome } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'

/** The statuses of a message that nobody gets. */
export const FAILED: ReadonlySet<string> = new Set(['failed', 'undelivered', 'canceled'])

/** No text message reaches the number: not a mobile number, a landline, or a carrier without SMS. */
const UNREACHABLE = new Set([21614, 21635, 30006])
/** Rate limits and full queues. */
const THROTTLED = new Set([14107, 20429, 30001])
/** Authentication, suspended accounts, and senders that do not belong to the account. */
const BROKEN = new Set([
  20003, 20005, 20008, 20404, 21212, 21603, 21606, 21659, 21660, 21661, 21701, 21703, 21704, 21705, 30002,
  90010,
])

export function isUnreachable(code: number): boolean {
  return UNREACHABLE.has(code)
}

/** Whether the account is at fault: broken, or too busy. */
export function faultOf(code: number): 'retry' | 'broken' | null {
  if (THROTTLED.has(code)) return 'retry'
  return BROKEN.has(code) ? 'broken' : null
}

export function errorOutcome(response: HttpResponse, code: number, message: string): SendOutcome {
  const error = providerError(code, message)
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', error }
  const fault = faultOf(code)
  if (fault === 'retry') return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) }
  if (fault === 'broken') return { kind: 'broken', error }
  return statusOutcome(response, message, code)
}
