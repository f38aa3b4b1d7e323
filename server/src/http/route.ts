/** The types of a handler: it gets parsed input and returns plain values. */
import {
  type Access,
  type Operation,
  operations,
  type ParsedFields,
  parseBody,
  parseFields,
  type Role,
} from '@countersign/contract'
import { z } from 'zod'
import { validationError } from '../domain/answers/index.ts'
import type { SessionCookies, Subject } from '../domain/members/index.ts'
import type { AppRef, Principal } from '../domain/tenancy/index.ts'
import type { CompanyId } from '../platform/ids.ts'
import { type Owner, operatorOwner } from '../platform/tenant.ts'
import type { Once } from './once.ts'
import type { Actor, AnyCaller, PersonActor } from './principal.ts'

export interface Incoming<Body, Query, Scope> {
  /** The subject of a management call. A handler acts on it, and cannot name another company. */
  readonly scope: Scope
  /** The caller's role in that company; null for operators, and if the call is about no company. */
  readonly role: Role | null
  readonly body: Body
  readonly query: Query
  readonly params: Readonly<Record<string, string>>
  /** Names are in lower case. */
  readonly header: (name: string) => string | undefined
  /** Null without one; throws for one that cannot be used. */
  readonly idempotencyKey: () => string | null
  /** The caller's own address, read through trusted proxies only. */
  readonly callerAddress: string
  readonly requestId: string
  /** Whether nobody will read the answer, since the connection is closed; found out during long calls only. */
  readonly isGone: () => boolean
  /** The token of a browser in which somebody has signed in before. */
  readonly knownToken: () => string | null
  /** Sets the cookies after a sign-in, or clears the session's cookie if null. */
  readonly setSession: (cookies: SessionCookies | null) => void
}

/** The caller as a handler gets it: a key, a person, an actor of the management API, or nobody. */
export type Caller<A extends Access> = A extends 'public'
  ? null
  : A extends 'key' | 'server_key'
    ? Principal
    : A extends 'session'
      ? PersonActor
      : Actor

type BodyOf<O> = O extends { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type QueryOf<O> = O extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type OnceOf<O> = O extends { readonly isOnce: true } ? Once : undefined
type AnswerOf<O> = O extends { readonly answer: infer Schema extends z.ZodType } ? z.input<Schema> : never

/** The company, app or owner that the ids of a call have led to. */
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

/** The input of any route. */
export type PlainIncoming = Incoming<unknown, unknown, FoundScope | null>

export interface Route {
  readonly operation: Operation
  /** Refuses input that the contract does not allow. */
  readonly parse: (incoming: PlainIncoming) => PlainIncoming
  /** `once` is there for a management call. */
  readonly handle: (incoming: PlainIncoming, caller: AnyCaller, once?: Once) => Promise<unknown>
}

type Operations = typeof operations

/** The type of the answer comes from the contract, so what is sent is what is documented. */
export function route<Name extends keyof Operations>(
  name: Name,
  handle: (
    incoming: Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>, ScopeOf<Operations[Name]>>,
    caller: Caller<Operations[Name]['access']>,
    once: OnceOf<Operations[Name]>,
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
    handle: (incoming, caller, once) =>
      handle(
        incoming as Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>, ScopeOf<Operations[Name]>>,
        caller as Caller<Operations[Name]['access']>,
        once as OnceOf<Operations[Name]>,
      ),
  }
}

/** For a body that is merged into stored values before it can be validated: here it only has to be an object. */
export function rawBodyRoute<Name extends 'createApp' | 'updateApp'>(
  name: Name,
  handle: (
    incoming: Incoming<Record<string, unknown>, undefined, ScopeOf<Operations[Name]>>,
    once: OnceOf<Operations[Name]>,
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
    handle: (incoming, _caller, once) =>
      handle(
        incoming as Incoming<Record<string, unknown>, undefined, ScopeOf<Operations[Name]>>,
        once as OnceOf<Operations[Name]>,
      ),
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
