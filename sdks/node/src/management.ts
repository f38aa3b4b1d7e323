/** The management API, for those who run the service: companies, apps, keys, settings, providers, what happened. */
import { addressOf, type CountersignOptions, settingsOf } from './client-settings.ts'
import { assertFields } from './fields.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'
import { type ManagementOperations, managementOperations } from './management-operations.ts'
import { recordOf } from './record.ts'
import { type CallOptions, createTransport, type Transport } from './transport.ts'

type Request<Name extends keyof ManagementOperations> = ManagementOperations[Name]['request']
/** The request may be left out if the operation takes nothing. */
type Arguments<Name extends keyof ManagementOperations> =
  Record<string, never> extends Request<Name>
    ? [request?: Request<Name>, options?: Options<Name>]
    : [request: Request<Name>, options?: Options<Name>]

type Options<Name extends keyof ManagementOperations> = (typeof managementOperations)[Name] extends readonly [
  unknown,
  unknown,
  unknown,
  'once',
]
  ? OnceOptions
  : CallOptions

/** Of a call that creates or books something. */
export interface OnceOptions extends CallOptions {
  /**
   * The same key within 24 hours changes nothing more and gets the first answer again, for the same call with the same
   * body. If it is left out or empty, one is generated, which covers the retries of this call.
   */
  idempotencyKey?: string | undefined
}

/** Lists come in pages, and settings may hold texts in every language. */
const largestAnswerBytes = 16_777_216

/** One method for each operation; bodies and answers have the names of the API. */
export type Management = {
  readonly [Name in keyof ManagementOperations]: (
    ...args: Arguments<Name>
  ) => Promise<ManagementOperations[Name]['answer']>
}

/**
 * @param token the operator's token
 *
 * After a lost answer it is not known whether a change took effect. Reads are repeated, and so is what takes an
 * idempotency key.
 */
export function createManagement(token: string, options: CountersignOptions = {}): Management {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError(
      'Pass the operator’s token to createManagement(token), alone: without quotes, blanks or a line break.',
    )
  const call = createTransport({
    ...settingsOf(options),
    key: token,
    baseUrl: addressOf(options),
    root: '/manage/v1',
    isRenamed: false,
    largestAnswerBytes,
  })
  const methods = Object.entries(managementOperations).map(([name, operation]) => [
    name,
    (request: Parts = {}, callOptions: OnceOptions = {}) => run(call, operation, request, callOptions),
  ])
  return Object.fromEntries(methods) as Management
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

type Operation = (typeof managementOperations)[keyof ManagementOperations]

async function run(
  call: Transport,
  [method, path, fields, once]: Operation,
  parts: Parts,
  { idempotencyKey: given, ...options }: OnceOptions,
) {
  assertFields('The request', parts, ['params', 'query', 'body'])
  if (given !== undefined && !once) throw new TypeError(`${method} ${path} takes no idempotency key.`)
  return call({
    method,
    path: `${filled(path, parts.params ?? {})}${queryOf(parts.query ?? {})}`,
    isRepeatable: method === 'GET' || once !== undefined,
    isAnswer: (answer) => fields.every((name) => recordOf(answer)[name] !== undefined),
    options,
    ...(once ? { headers: { 'idempotency-key': idempotencyKeyOf(given) } } : {}),
    ...(parts.body === undefined ? {} : { body: parts.body }),
  })
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    // Dots alone would lead to another operation, since in a URL they mean the parent.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`params.${name} is missing, or is no id.`)
    return encodeURIComponent(value)
  })
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size > 0 ? `?${given}` : ''
}
