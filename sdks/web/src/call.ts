/** One call to the service: sent, timed, read, and repeated while no answer comes. */
import { CountersignError } from './errors.ts'
import { randomId } from './random-id.ts'
import { asObject, type Json, readObject } from './read.ts'

const timeoutMs = 10_000
const maxRetries = 3
const firstDelayMs = 400
const longestDelayMs = 4_000
/** Somebody is looking at the screen: a longer wait is their decision. */
const longestObeyedRetryAfterSeconds = 10
const awayStatuses: readonly (number | null)[] = [null, 502, 503, 504]

/** No answer came, or a proxy answered: whether the call took effect is not known. */
export const isLost = (error: unknown): error is CountersignError =>
  error instanceof CountersignError && awayStatuses.includes(error.status)

/** The type of the DOM or of React Native. If both are missing, this package still compiles. */
export type Fetch = typeof globalThis extends { fetch: infer Type }
  ? Type
  : (url: string, request: object) => Promise<unknown>

export interface Connection {
  readonly key: string
  readonly baseUrl: string
  readonly fetch: Fetch
}

export interface Call<Body> {
  readonly path: string
  /** A call with a body is a POST. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly retries: boolean
  readonly fields: Fields<Body>
}

/** A check for each field of an answer, since something else at the address may answer 200 to everything. */
export type Fields<Body> = {
  readonly [Name in keyof Body as undefined extends Body[Name] ? never : Name]: (value: unknown) => boolean
}

export interface Answered<Body> {
  readonly body: Body
  /** The service's clock minus this device's; zero if the answer does not say. */
  readonly clockSkewMs: number
}

export async function call<Body>(connection: Connection, request: Call<Body>): Promise<Answered<Body>> {
  const requestId = `req_${randomId()}`
  for (let retries = 0; ; retries++) {
    try {
      return await attempt<Body>(connection, request, requestId)
    } catch (error) {
      // Anything else is an answer, and the same call would get it again.
      if (!isLost(error) || !request.retries || retries >= maxRetries) throw error
      const askedSeconds = error.retryAfter ?? 0
      if (askedSeconds > longestObeyedRetryAfterSeconds) throw error
      const backoffMs = Math.min(firstDelayMs * 2 ** retries, longestDelayMs) * (0.5 + Math.random() / 2)
      await new Promise((resolve) => setTimeout(resolve, askedSeconds * 1000 || backoffMs))
    }
  }
}

async function attempt<Body>(
  { key, baseUrl, fetch }: Connection,
  { path, body, headers, fields }: Call<Body>,
  requestId: string,
): Promise<Answered<Body>> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  try {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        'x-request-id': requestId,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // A status must not come from a cache, and cookies are not needed.
      cache: 'no-store',
      credentials: 'omit',
      signal: controller.signal,
    })
    const answer = await readObject(response)
    if (!response.ok || answer === null || !hasFields(answer, fields))
      throw refusal(response, answer, requestId)
    return { body: answer as Body, clockSkewMs: skewOf(response.headers.get('date')) }
  } catch (error) {
    if (error instanceof CountersignError) throw error
    throw noAnswer(controller.signal.aborted ? 'TimeoutError' : 'ConnectionError', requestId)
  } finally {
    clearTimeout(timer)
  }
}

const hasFields = <Body>(answer: Json, fields: Fields<Body>) =>
  Object.entries<(value: unknown) => boolean>(fields).every(([name, isFit]) => isFit(answer[name]))

function refusal(response: Response, answer: Json | null, requestId: string): CountersignError {
  const { type, message, details } = asObject(answer?.error) ?? {}
  const { status, headers } = response
  return new CountersignError({
    type: typeof type === 'string' ? type : 'UnexpectedAnswer',
    message: typeof message === 'string' ? message : unexpected(status),
    status,
    requestId: typeof answer?.request_id === 'string' ? answer.request_id : requestId,
    retryAfter: secondsIn(headers.get('retry-after')),
    details: asObject(details) ?? {},
  })
}

/** If the service is there, the message must not suggest a wrong address. */
const unexpected = (status: number) =>
  status === 429 || awayStatuses.includes(status)
    ? `Something in front of Countersign answered for it (${status}).`
    : `Not an answer of Countersign (${status}). Is baseUrl right?`

/** Only whole seconds: the service sends no dates. */
const secondsIn = (text: string | null) => (text && /^\d{1,9}$/.test(text) ? Number(text) : null)

const noAnswer = (type: string, requestId: string) =>
  new CountersignError({
    type,
    message: 'The service did not answer.',
    status: null,
    requestId,
    retryAfter: null,
    details: {},
  })

/** The header has whole seconds, so a difference below two means nothing. */
function skewOf(date: string | null): number {
  const skewMs = Date.parse(date ?? '') + 500 - Date.now()
  return Math.abs(skewMs) >= 2_000 ? skewMs : 0
}
