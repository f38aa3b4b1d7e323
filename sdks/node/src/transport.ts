/** One call to the service: sent, timed, read, retried. */
import { toCamel } from './case.ts'
import { ConnectionError, CountersignError, type ErrorFacts, TimeoutError } from './errors.ts'
import type { Fetch, Signal } from './platform.ts'
import { refusalOf, unexpectedAnswer } from './refusal.ts'
import { retryDelayMs, shouldRetry, sleep } from './retry.ts'
import { version } from './version.ts'

export interface Settings {
  readonly key: string
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly fetch: Fetch
}

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Whether making it twice is the same as making it once. */
  readonly isRepeatable: boolean
  readonly signal?: Signal | undefined
}

/** Resolves with the answer in camelCase, or rejects with a `CountersignError`. */
export type Transport = <Answer>(call: Call) => Promise<Answer>

export function createTransport(settings: Settings): Transport {
  return async <Answer>(call: Call): Promise<Answer> => {
    const requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
    for (let retries = 0; ; retries++) {
      try {
        return toCamel(await attempt(settings, call, requestId)) as Answer
      } catch (error) {
        const { isRepeatable, signal } = call
        const { maxRetries } = settings
        signal?.throwIfAborted()
        if (!shouldRetry(error, { retries, maxRetries, isRepeatable })) throw error
        await sleep(retryDelayMs(error, retries), signal)
      }
    }
  }
}

async function attempt(settings: Settings, call: Call, requestId: string): Promise<unknown> {
  const clock = startClock(settings.timeoutMs, call.signal)
  try {
    const response = await settings.fetch(`${settings.baseUrl}/api/v1${call.path}`, {
      method: call.method,
      headers: headersOf(settings.key, call, requestId),
      // A redirect would turn POST into GET, or carry the key elsewhere.
      redirect: 'manual',
      signal: clock.signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    })
    return await read(response, requestId)
  } catch (error) {
    call.signal?.throwIfAborted()
    if (error instanceof CountersignError) throw error
    if (clock.isOver()) throw new TimeoutError(noAnswer('TimeoutError', settings, requestId))
    throw new ConnectionError(noAnswer('ConnectionError', settings, requestId), error)
  } finally {
    clock.stop()
  }
}

async function read(response: Response, requestId: string): Promise<unknown> {
  const text = await response.text()
  const body = parseJson(text)
  if (!response.ok) throw refusalOf(response, body, requestId)
  if (typeof body !== 'object' || body === null) throw unexpectedAnswer(response, requestId)
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(key: string, call: Call, requestId: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    'user-agent': `countersign-node/${version}`,
    'x-request-id': requestId,
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
  }
}

/** One signal for both ends of a call: the timeout, and the caller who gives up. */
function startClock(timeoutMs: number, outer: Signal | undefined) {
  const controller = new AbortController()
  let isOver = false
  const abort = () => controller.abort()
  const timer = setTimeout(() => {
    isOver = true
    abort()
  }, timeoutMs)
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    isOver: () => isOver,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

const noAnswer = (
  type: 'TimeoutError' | 'ConnectionError',
  { baseUrl, timeoutMs }: Settings,
  requestId: string,
): ErrorFacts => ({
  type,
  message: `No answer from ${baseUrl}${type === 'TimeoutError' ? ` within ${timeoutMs} ms` : ''}.`,
  status: null,
  requestId,
  details: {},
})
