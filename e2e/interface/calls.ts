/** Calls as any client makes them. Nothing in an answer is trusted before it is checked. */
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
  /** Is sent as JSON. */
  readonly body?: unknown
  /** Is sent as it is; only `headers` can add a Content-Type. */
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
      // A kept connection may be closed at the moment of its next use, and then it is unknown whether the call was
      // made.
      connection: 'close',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    // As bytes, because fetch adds a Content-Type to a string.
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

/** The error of an answer that must have this status and type. */
export function refused(answer: Answer, status: number, type: string): { readonly message: string } {
  const error = fields(answer.body.error)
  assert.deepEqual([answer.status, error.type], [status, type], answer.text)
  return { message: string(error.message) }
}
