/**
 * Outgoing HTTP. Besides the answer, callers need to know whether a request without an answer may have been acted on: a
 * message that certainly never left may be tried again, any other may not.
 */
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { exchange } from './exchange.ts'
import { byText, memo } from './memo.ts'
import { perAddressTimeout } from './per-address-timeout.ts'
import { within } from './within.ts'

const MAX_RESPONSE_BYTES = 64 * 1024
/** The most messages that an account is given at once. */
const CONNECTIONS_PER_ORIGIN = 500
const CONNECT_TIMEOUT_MS = 5_000
const RESPONSE_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 2_000
/** Nothing here decompresses, and a server may compress for whoever does not say so (RFC 9110 §12.5.3). */
const uncompressed = { 'accept-encoding': 'identity' }

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** What could be read of the body: at most 64 KiB, less if the peer or the deadline cut it short. */
  readonly body: Buffer
}

/** `reason` is an error code, never text that could quote the request. */
export type HttpFailure =
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'uncertain'; readonly reason: string }

type HttpResult = HttpResponse | HttpFailure

export interface HttpClient {
  /** Never rejects, follows no redirect. `signal` is the deadline. */
  readonly send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResult>
  readonly close: () => Promise<void>
}

/** A dispatcher that is passed in is not closed here. */
export function openHttpClient(lookup: LookupFunction | null = null, dispatcher?: Dispatcher): HttpClient {
  const used = dispatcher ?? createAgent(lookup)
  // Most accounts send everything to one URL.
  const targetOf = memo(1, byText, parseTarget)
  const underWay = new Set<Promise<HttpResult>>()
  return {
    send: (request, signal) => {
      const result = send(used, request, targetOf(request.url), signal).finally(() => underWay.delete(result))
      underWay.add(result)
      return result
    },
    close: async () => {
      await within(DRAIN_TIMEOUT_MS, Promise.all(underWay))
      if (dispatcher === undefined) await used.destroy()
    },
  }
}

function createAgent(lookup: LookupFunction | null): Agent {
  return new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...perAddressTimeout, ...(lookup ? { lookup } : {}) },
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: RESPONSE_TIMEOUT_MS,
  })
}

async function send(
  dispatcher: Dispatcher,
  { method, headers, body }: HttpRequest,
  target: ReturnType<typeof parseTarget>,
  signal: AbortSignal,
): Promise<HttpResult> {
  if (!target) return { kind: 'not-sent', reason: 'ERR_INVALID_URL' }
  const request = { ...target, method, headers: { ...uncompressed, ...headers }, body }
  const end = await exchange(dispatcher, { request, signal, maxBodyBytes: MAX_RESPONSE_BYTES })
  if ('status' in end) {
    return { kind: 'response', status: end.status, headers: flatten(end.headers), body: end.body }
  }
  const reason = signal.aborted ? 'deadline' : codeOf(end.error)
  return { kind: end.mayHaveLeft ? 'uncertain' : 'not-sent', reason }
}

function parseTarget(url: string) {
  if (!URL.canParse(url)) return null
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'request_failed'
}
