/** What a handler gets and returns: parsed input, plain values. */
import {
  type Access,
  AppError,
  type Operation,
  operations,
  type ParsedFields,
  parseBody,
  parseFields,
  type Role,
  unknownField,
} from '@countersign/contract'
import { z } from 'zod'
import { validationError } from '../domain/answers/index.ts'
import type { SessionCookies, Subject } from '../domain/members/index.ts'
import type { AppRef, Principal } from '../domain/tenancy/index.ts'
import type { CompanyId } from '../platform/ids.ts'
import { type Owner, operatorOwner } from '../platform/tenant.ts'
import type { Actor, AnyCaller, PersonActor } from './principal.ts'

export interface Incoming<Body, Query, Scope> {
  /** The subject of a management call. A handler acts on it, and cannot name another company. */
  readonly scope: Scope
  /** The caller's role in that company; null for operators, and if the call is about no company. */
  readonly role: Role | null
  readonly body: Body
  readonly query: Query
  readonly params: Readonly<Record<string, string>>
  /** Lower-case names. */
  readonly header: (name: string) => string | undefined
  /** Refuses one that was sent twice. */
  readonly singleHeader: (name: string) => string | undefined
  /** The caller's own address, read through trusted proxies only. */
  readonly callerAddress: string
  readonly requestId: string
  /** The token of a browser in which somebody has signed in before. */
  readonly knownToken: () => string | null
  /** Sets the cookies after a sign-in, or with null clears that of the session. */
  readonly setSession: (cookies: SessionCookies | null) => void
}

/** The caller as a handler gets it: a key, a person, whoever manages, or nobody. */
export type Caller<A extends Access> = A extends 'public'
  ? null
  : A extends 'key' | 'server_key'
    ? Principal
    : A extends 'session'
      ? PersonActor
      : Actor

type BodyOf<O> = O extends { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type QueryOf<O> = O extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type AnswerOf<O> = O extends { readonly answer: infer Schema extends z.ZodType } ? z.input<Schema> : never

/** The company, the app or the owner that the ids of a call have led to. */
export interface FoundScope {
  readonly ownerId: Owner
  readonly companyId: CompanyId | null
  readonly app: AppRef | null
}

type IdOfApp = 'app_id' | 'key_id' | 'event_id' | 'otp_id'
type Has<Id extends string> = { readonly path: `/manage/${string}{${Id}}${string}` }
type ScopeOf<O> =
  O extends Has<IdOfApp>
    ? { readonly app: AppRef }
    : O extends Has<'company_id'>
      ? { readonly companyId: CompanyId }
      : O extends Has<'provider_id'>
        ? { readonly ownerId: Owner }
        : O extends { readonly company: string }
          ? { readonly companyId: CompanyId } | null
          : null

export function scopeOf(subject: Subject | null): FoundScope | null {
  if (!subject) return null
  const { ownerId, appId } = subject
  const companyId = ownerId === operatorOwner ? null : ownerId
  return { ownerId, companyId, app: companyId && appId && { companyId, appId } }
}

/** For any route. */
export type PlainIncoming = Incoming<unknown, unknown, FoundScope | null>

export interface Route {
  readonly operation: Operation
  /** Refuses what the contract does not take. */
  readonly parse: (incoming: PlainIncoming) => PlainIncoming
  readonly handle: (incoming: PlainIncoming, caller: AnyCaller) => Promise<unknown>
}

type Operations = typeof operations

/** The answer's type is the contract's: what is documented is what is sent. */
export function route<Name extends keyof Operations>(
  name: Name,
  handle: (
    incoming: Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>, ScopeOf<Operations[Name]>>,
    caller: Caller<Operations[Name]['access']>,
  ) => Promise<AnswerOf<Operations[Name]>>,
): Route {
  const operation: Operation = operations[name]
  return {
    operation,
    parse: (incoming) => ({
      ...incoming,
      body: bodyOf(operation, incoming.body),
      query: operation.query ? orRefuse(parseFields(operation.query, incoming.query)) : undefined,
    }),
    handle: (incoming, caller) =>
      handle(
        incoming as Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>, ScopeOf<Operations[Name]>>,
        caller as Caller<Operations[Name]['access']>,
      ),
  }
}

/** For a body that is merged into stored values before it can be validated: here it only has to be an object. */
export function rawBodyRoute<Name extends 'createApp' | 'updateApp'>(
  name: Name,
  handle: (
    incoming: Incoming<Record<string, unknown>, undefined, ScopeOf<Operations[Name]>>,
  ) => Promise<AnswerOf<Operations[Name]>>,
): Route {
  return {
    operation: operations[name],
    parse: (incoming) => {
      if (typeof incoming.body !== 'object' || incoming.body === null || Array.isArray(incoming.body)) {
        throw validationError([{ path: '', message: 'must be a JSON object' }])
      }
      return { ...incoming, body: { ...incoming.body }, query: undefined }
    },
    handle: (incoming) =>
      handle(incoming as Incoming<Record<string, unknown>, undefined, ScopeOf<Operations[Name]>>),
  }
}

/** A call that takes no fields may come without a body, or with an empty object. */
const noFields = z.strictObject({})

function bodyOf(operation: Operation, body: unknown): unknown {
  if (operation.body) return orRefuse(parseBody(operation.body, body))
  if (body !== undefined) orRefuse(parseBody(noFields, body))
  return undefined
}

function orRefuse<Value>({ data, problems }: ParsedFields<Value>): Value {
  if (problems) throw validationError(problems)
  return data
}

export function parseJson(text: unknown): unknown {
  if (Buffer.isBuffer(text))
    throw new AppError('ValidationError', 'The body is not UTF-8.', {
      fields: [{ path: '', message: 'is not UTF-8' }],
    })
  if (typeof text !== 'string' || text === '') throw validationError([{ path: '', message: 'must be JSON' }])
  try {
    return assertPlain(JSON.parse(text, suspicious.test(text) ? refuseUnwritable : undefined), text)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('ValidationError', 'The body is not JSON.', {
      fields: [{ path: '', message: 'is not JSON' }],
    })
  }
}

/** More than a price list for every country has. A bound, since reporting a wrong value takes far longer than reading it. */
const mostValues = 2_000

/** Of a field that is written twice, a proxy or a log before us may have read the other value. */
function assertPlain(body: unknown, text: string): unknown {
  const open: unknown[] = [body]
  let fields = 0
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > mostValues)
      throw validationError([{ path: '', message: `has more than ${mostValues} values in it` }])
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    const values = Object.values(next)
    if (!Array.isArray(next)) fields += values.length
    for (const value of values) open.push(value)
  }
  if (fields < fieldsWritten(text)) throw validationError([{ path: '', message: 'has a field twice' }])
  return body
}

const [quote, colon, backslash] = [34, 58, 92]

/** JSON has a colon after each field name, and otherwise only inside strings. */
function fieldsWritten(text: string): number {
  let isInText = false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === backslash) at++
    else if (character === quote) isInText = !isInText
    else if (character === colon && !isInText) count++
  }
  return count
}

/** Half a character can only be written as an escape; checking each value of every body would cost far more. */
const suspicious = /\\u|__proto__/
/** Half of a character, which no database and no message can hold. */
const half = /\p{Cs}/u

/** Schemas of records ignore `__proto__`, and no field has that name. */
function refuseUnwritable(key: string, value: unknown): unknown {
  if (key === '__proto__' || half.test(key)) {
    throw validationError([{ path: key.replaceAll(/\p{Cs}/gu, '�'), message: unknownField }])
  }
  // A wrong recipient is refused as any other wrong recipient.
  if (typeof value === 'string' && key !== 'recipient' && half.test(value)) {
    throw validationError([{ path: key, message: 'has half a character in it' }])
  }
  return value
}
