/**
 * Outgoing HTTP. What matters to callers beyond the answer is whether a request without one may have been
 * acted on: a message that certainly never left may be tried again, any other may not.
 */
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { within } from './within.ts'

const MAX_RESPONSE_BYTES = 64 * 1024
/** The most messages that an account is given at once; connections are kept and used again. */
const CONNECTIONS_PER_ORIGIN = 500
const CONNECT_TIMEOUT_MS = 5_000
const RESPONSE_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 2_000

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** What could be read of it: at most 64 KiB, less when the peer or the deadline cut it short. */
  readonly body: Buffer
}

/** `reason` is an error code, never text that could quote the request. */
export type HttpFailure =
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'uncertain'; readonly reason: string }

export type HttpResult = HttpResponse | HttpFailure

export interface HttpClient {
  /** Never rejects, follows no redirect. `signal` is the deadline. */
  readonly send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResult>
  readonly close: () => Promise<void>
}

/** A dispatcher that is handed in stays its owner's to close. */
export function openHttpClient(lookup: LookupFunction | null = null, dispatcher?: Dispatcher): HttpClient {
  const used = dispatcher ?? createAgent(lookup)
  const underWay = new Set<Promise<HttpResult>>()
  return {
    send: (request, signal) => {
      const result = new Promise<HttpResult>((resolve) => new Exchange(request, signal, resolve).start(used))
      underWay.add(result)
      return result.finally(() => underWay.delete(result))
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
    connect: { timeout: CONNECT_TIMEOUT_MS, ...(lookup ? { lookup } : {}) },
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: RESPONSE_TIMEOUT_MS,
  })
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #signal: AbortSignal
  readonly #resolve: (result: HttpResult) => void
  readonly #chunks: Buffer[] = []
  #bodyBytes = 0
  #controller: Dispatcher.DispatchController | null = null
  #head: Pick<HttpResponse, 'status' | 'headers'> | null = null
  #settled = false

  constructor(request: HttpRequest, signal: AbortSignal, resolve: (result: HttpResult) => void) {
    this.#request = request
    this.#signal = signal
    this.#resolve = resolve
  }

  start(dispatcher: Dispatcher): void {
    if (this.#signal.aborted) {
      this.#settle({ kind: 'not-sent', reason: 'deadline' })
      return
    }
    this.#signal.addEventListener('abort', this.#onDeadline)
    try {
      const url = new URL(this.#request.url)
      const { method, headers, body } = this.#request
      const path = url.pathname + url.search
      dispatcher.dispatch({ origin: url.origin, path, method, headers: { ...headers }, body }, this)
    } catch (error) {
      this.#settle(this.#failure(codeOf(error)))
    }
  }

  // undici calls this after the connection stands and before the first byte is written.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) controller.abort(new Error('deadline'))
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) this.#head = { status, headers: flatten(headers) }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = MAX_RESPONSE_BYTES - this.#bodyBytes
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)))
    this.#bodyBytes += Math.min(chunk.length, room)
    if (chunk.length > room) controller.abort(new Error('response too large'))
  }

  onResponseEnd(): void {
    this.#settle(this.#answer() ?? this.#failure('no_response'))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(this.#answer() ?? this.#failure(this.#signal.aborted ? 'deadline' : codeOf(error)))
  }

  readonly #onDeadline = (): void => {
    const controller = this.#controller
    this.#settle(this.#answer() ?? this.#failure('deadline'))
    controller?.abort(new Error('deadline'))
  }

  #answer(): HttpResponse | null {
    if (this.#head === null) return null
    return { kind: 'response', ...this.#head, body: Buffer.concat(this.#chunks) }
  }

  #failure(reason: string): HttpFailure {
    return { kind: this.#controller === null ? 'not-sent' : 'uncertain', reason }
  }

  #settle(result: HttpResult): void {
    if (this.#settled) return
    this.#settled = true
    this.#signal.removeEventListener('abort', this.#onDeadline)
    this.#resolve(result)
  }
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
