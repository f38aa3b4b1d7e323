/** What the HTTP kinds have in common: outcomes that their own tables do not decide. */
import type { HttpFailure, HttpResponse } from '../platform/http-client.ts'
import type { SendOutcome } from './channel.ts'
import { quoteLongNumbers } from './long-numbers.ts'
import { connectionError, providerError } from './provider-error.ts'

const MAX_RETRY_AFTER_SECONDS = 3_600
/** It did not get the whole request, or did not begin with it. */
const NOT_TAKEN = new Set([408, 425, 429])
/**
 * A gateway that gave up waiting does not know whether the service behind it acted; nor does Cloudflare with 524, and
 * with 520 after an answer that it could not read.
 */
const NOT_KNOWN = new Set([504, 520, 524])
const BYTE_ORDER_MARK = '\ufeff'
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
  if (NOT_KNOWN.has(status)) return { kind: 'uncertain', error }
  if (NOT_TAKEN.has(status) || status >= 500)
    return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) }
  // 402: the account has no money left.
  if (status === 401 || status === 402 || status === 403) return { kind: 'broken', error }
  return { kind: 'refused', error }
}

/** Reads seconds, or a date by the clock that the answer is dated by. */
export function retryAfterSeconds({ headers }: Pick<HttpResponse, 'headers'>): number | null {
  const value = headers['retry-after'] ?? ''
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : Math.ceil((millisecondsOf(value) - millisecondsOf(headers.date)) / 1_000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS)
}

/** NaN for anything but a date as HTTP writes it. */
const millisecondsOf = (date = ''): number => (date.endsWith(' GMT') ? Date.parse(date) : Number.NaN)

/** Undefined for text that is not JSON, or that is built to be slow to parse. */
export const parseJson = (body: Buffer): unknown => parse(body, textOf)

/** For answers whose ids may be long numbers: these become texts. */
export const parseJsonWithIds = (body: Buffer): unknown =>
  parse(body, (bytes) => quoteLongNumbers(textOf(bytes)))

function parse(body: Buffer, read: (body: Buffer) => string): unknown {
  if (countBrackets(body) > MAX_JSON_BRACKETS) return undefined
  try {
    return JSON.parse(read(body))
  } catch {
    return undefined
  }
}

/** RFC 8259 §8.1: a byte order mark at the beginning may be ignored. */
function textOf(body: Buffer): string {
  const text = body.toString('utf8')
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

function countBrackets(body: Buffer): number {
  let count = 0
  for (const byte of body) if (byte === SQUARE_BRACKET || byte === BRACE) count++
  return count
}
