/** What the HTTP kinds have in common: outcomes that their own tables do not decide. */
import type { HttpFailure, HttpResponse } from '../platform/http-client.ts'
import type { SendOutcome } from './channel.ts'
import { connectionError, providerError } from './provider-error.ts'

const MAX_RETRY_AFTER_SECONDS = 3_600
/** Twice as many as in the largest batches of receipts. A megabyte of `[` would take a tenth of a second to parse. */
const MAX_JSON_BRACKETS = 20_000
const SQUARE_BRACKET = 0x5b
const BRACE = 0x7b

export function failureOutcome(failure: HttpFailure): SendOutcome {
  if (failure.kind === 'not-sent') {
    const error = connectionError(failure.reason, 'The provider could not be reached')
    return { kind: 'retry', error, afterSeconds: null }
  }
  return { kind: 'uncertain', error: providerError(failure.reason, 'The provider did not answer.') }
}

/** Decides by the status alone, for an answer whose body is not understood. */
export function statusOutcome(response: HttpResponse, message: string, code?: string | number): SendOutcome {
  const { status } = response
  const error = providerError(code ?? `http_${status}`, message)
  if (status < 300) return { kind: 'uncertain', error }
  if (status < 400) return { kind: 'broken', error }
  if (status === 429) return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) }
  // A gateway that gave up waiting does not know whether the service behind it acted.
  if (status === 504) return { kind: 'uncertain', error }
  if (status >= 500) return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) }
  // 402: the account has no money left.
  if (status === 401 || status === 402 || status === 403) return { kind: 'broken', error }
  return { kind: 'refused', error }
}

export function retryAfterSeconds(response: HttpResponse): number | null {
  const value = response.headers['retry-after']
  if (value === undefined || !/^\d{1,9}$/.test(value)) return null
  return Math.min(Math.max(Number(value), 1), MAX_RETRY_AFTER_SECONDS)
}

/** Undefined for text that is not JSON, or that is built to be slow to parse. */
export function parseJson(body: Buffer): unknown {
  if (countBrackets(body) > MAX_JSON_BRACKETS) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function countBrackets(body: Buffer): number {
  let count = 0
  for (const byte of body) if (byte === SQUARE_BRACKET || byte === BRACE) count++
  return count
}
