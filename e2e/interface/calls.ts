/** Calls as any client makes them, and answers of which nothing is believed before it is looked at. */
import assert from 'node:assert/strict'
import { patiently } from '../harness/wait.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Fields
  readonly text: string
}

export interface Request {
  readonly method?: string
  readonly key?: string | null
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, with no Content-Type but one that `headers` has. */
  readonly rawBody?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const call = (url: string, request: Request = {}): Promise<Answer> =>
  patiently(() => callOnce(url, request))

async function callOnce(url: string, request: Request): Promise<Answer> {
  const { method = 'POST', key = null, body, rawBody, headers = {} } = request
  const content = body === undefined ? rawBody : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    headers: {
      // A connection that is kept may be closed just when it is used again, and nobody knows whether that call was made.
      connection: 'close',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    // As bytes, because fetch gives a string a Content-Type of its own.
    ...(content === undefined ? {} : { body: new TextEncoder().encode(content) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parseObject(text), text }
}

function parseObject(text: string): Fields {
  const value: unknown = JSON.parse(text)
  assert.ok(isFields(value), `the body must be a JSON object: ${text}`)
  return value
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function fields(value: unknown): Fields {
  assert.ok(isFields(value), 'must be an object')
  return value
}

export function string(value: unknown): string {
  assert.equal(typeof value, 'string')
  return String(value)
}

export function list(value: unknown): readonly Fields[] {
  assert.ok(Array.isArray(value), 'must be a list')
  return value.map(fields)
}

/** The body of an answer that must be 200. */
export function accepted(answer: Answer): Fields {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** The error of an answer that must be of this status and type. */
export function refused(answer: Answer, status: number, type: string): { readonly message: string } {
  const error = fields(answer.body.error)
  assert.deepEqual([answer.status, error.type], [status, type], answer.text)
  return { message: string(error.message) }
}
