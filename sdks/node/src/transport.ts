/** One call to the service: sent, timed, read, retried. */
import { toCamel } from './case.ts'
import { ConnectionError, CountersignError, type ErrorFacts, TimeoutError } from './errors.ts'
import { assertFields } from './fields.ts'
import type { Fetch, Signal } from './platform.ts'
import { readWithin } from './read.ts'
import { refusalOf, unexpectedAnswer } from './refusal.ts'
import { retryDelayMs, shouldRetry, sleep } from './retry.ts'
import { version } from './version.ts'

export interface Settings {
  readonly key: string
  readonly baseUrl: string
  /** The prefix of every path. */
  readonly root: '/api/v1' | '/manage/v1'
  /** Whether the fields of answers are renamed to camelCase. */
  readonly isRenamed: boolean
  readonly largestAnswerBytes: number
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly fetch: Fetch
  readonly logger?: Logger | undefined
}

/** What a logger gets: which call, which attempt of it, and how that ended. */
export interface LogEntry {
  readonly event: 'answer' | 'retry' | 'failure'
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly requestId: string
  /** 1 for the first. */
  readonly attempt: number
  readonly durationMs: number
  /** The HTTP status; null if no answer came. */
  readonly status: number | null
  /** On `retry`: how long it waits. */
  readonly delayMs?: number
  /** The type of the error, if it was not a success. */
  readonly errorType?: string
}
export type Logger = (entry: LogEntry) => void

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed, with the names of the API. */
  readonly body: unknown
  readonly requestId: string
  /** How many attempts it took. */
  readonly attempts: number
}

export interface CallOptions {
  /** Aborts the call and its retries. */
  signal?: Signal | undefined
  /** How long one attempt of this call may take; by default as the client is set. */
  timeoutMs?: number | undefined
  /** How often this call is repeated, if it may be; by default as the client is set. */
  maxRetries?: number | undefined
  /** Called with the raw answer, even if it is an error. */
  onAnswer?: ((answer: RawAnswer) => void) | undefined
}

const longestTimeoutMs = 600_000
const mostRetries = 10

export function assertPace({ timeoutMs, maxRetries }: Pick<Settings, 'timeoutMs' | 'maxRetries'>): void {
  assertWithin('timeoutMs', timeoutMs, 1, longestTimeoutMs)
  assertWithin('maxRetries', maxRetries, 0, mostRetries)
}

function assertWithin(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}.`)
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Whether making it twice is the same as making it once. */
  readonly isRepeatable: boolean
  /** Whether the answer, with the names that the caller gets, is a valid one to this call. */
  readonly isAnswer: (answer: unknown) => boolean
  readonly options: CallOptions
}

/** Resolves with the answer, or rejects with a `CountersignError`. */
export type Transport = <Answer>(call: Call) => Promise<Answer>

export function createTransport(client: Settings): Transport {
  return async <Answer>(call: Call): Promise<Answer> => {
    assertFields('options', call.options, ['signal', 'timeoutMs', 'maxRetries', 'onAnswer'])
    const { signal, timeoutMs = client.timeoutMs, maxRetries = client.maxRetries } = call.options
    const settings = { ...client, timeoutMs, maxRetries }
    assertPace(settings)
    const requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
    for (let retries = 0; ; retries++) {
      const log = startLog(settings, call, requestId, retries + 1)
      try {
        const { status, answer } = await attempt(settings, call, requestId, retries + 1)
        log({ event: 'answer', status })
        return answer as Answer
      } catch (error) {
        const end = endOf(error)
        const { isRepeatable } = call
        if (signal?.aborted || !shouldRetry(error, { retries, maxRetries, isRepeatable })) {
          log({ event: 'failure', ...end })
          signal?.throwIfAborted()
          throw error
        }
        const delayMs = retryDelayMs(error, retries)
        log({ event: 'retry', delayMs: Math.round(delayMs), ...end })
        await sleep(delayMs, signal)
      }
    }
  }
}

const endOf = (error: unknown) =>
  error instanceof CountersignError
    ? { status: error.status, errorType: error.type }
    : { status: null, errorType: 'Error' }

type Ended = Pick<LogEntry, 'event' | 'status' | 'delayMs' | 'errorType'>

/** One entry for each attempt. A logger that throws does not make the call fail. */
function startLog({ logger }: Settings, { method, path: whole }: Call, requestId: string, attempt: number) {
  const startedMs = Date.now()
  const [path = ''] = whole.split('?')
  return (ended: Ended) => {
    try {
      logger?.({ method, path, requestId, attempt, durationMs: Date.now() - startedMs, ...ended })
    } catch {}
  }
}

/** An error of the caller's own function is not an error of the call, and is thrown unchanged. */
async function attempt(settings: Settings, call: Call, requestId: string, attempts: number) {
  const { response, body } = await exchange(settings, call, requestId)
  const { status, ok } = response
  const headers = Object.fromEntries(response.headers)
  call.options.onAnswer?.({ status, headers, body, requestId, attempts })
  if (!ok) throw refusalOf(response, body, requestId)
  const answer = settings.isRenamed ? toCamel(body) : body
  // A proxy, or another program at this address, may answer 200 to everything.
  if (!call.isAnswer(answer)) throw unexpectedAnswer(response, requestId)
  return { status, answer }
}

async function exchange(settings: Settings, call: Call, requestId: string) {
  const { signal } = call.options
  const clock = startClock(settings.timeoutMs, signal)
  try {
    const response = await settings.fetch(`${settings.baseUrl}${settings.root}${call.path}`, {
      method: call.method,
      headers: headersOf(settings.key, call, requestId),
      // A redirect would turn POST into GET, or carry the key elsewhere.
      redirect: 'manual',
      signal: clock.signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    })
    return { response, body: parseJson(await readWithin(response, settings.largestAnswerBytes)) }
  } catch (error) {
    signal?.throwIfAborted()
    if (clock.isOver())
      throw new TimeoutError(
        noAnswer('TimeoutError', settings, requestId, ` within ${settings.timeoutMs} ms`),
      )
    const code = codeOf(error)
    throw new ConnectionError(
      noAnswer('ConnectionError', settings, requestId, code === null ? '' : `: ${code}`),
      error,
    )
  } finally {
    clock.stop()
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
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

/** One signal for both reasons to end a call: the timeout, and a caller who gives up. */
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

/** The code of the network's error, such as ECONNREFUSED, which fetch hides in the cause; null if it has none. */
function codeOf(error: unknown): string | null {
  const errors = error instanceof Error ? [error, error.cause] : []
  const codes = errors.map((each) => (each instanceof Error && 'code' in each ? each.code : null))
  return codes.find((code) => typeof code === 'string') ?? null
}

const noAnswer = (
  type: 'TimeoutError' | 'ConnectionError',
  { baseUrl }: Settings,
  requestId: string,
  why: string,
): ErrorFacts => ({
  type,
  message: `No answer from ${baseUrl}${why}.`,
  status: null,
  requestId,
  details: {},
})
