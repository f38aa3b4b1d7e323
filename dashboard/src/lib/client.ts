/** The management API, typed by the contract. */

import type { operations } from '@countersign/contract'
import { endpoints } from '#contract'
import { isSignedOut } from './api-error.ts'
import { askService } from './ask-service.ts'
import { askForProof, isAsking, proofNeeded } from './proof.ts'
import { hasUnsaved } from './unsaved.ts'

type Operations = typeof operations

export type ManageOperation = {
  [Name in keyof Operations]: Operations[Name]['path'] extends `/manage/${string}` ? Name : never
}[keyof Operations]

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

type Part<Name extends ManageOperation, Key extends string> = Operations[Name] extends {
  readonly [K in Key]: { readonly _zod: { readonly input: infer Input } }
}
  ? Input
  : never

type ParamsOf<Name extends ManageOperation> = [ParamNames<Operations[Name]['path']>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<ParamNames<Operations[Name]['path']>, string>> }
type QueryOf<Name extends ManageOperation> = [Part<Name, 'query'>] extends [never]
  ? unknown
  : { readonly query?: Part<Name, 'query'> }
type BodyOf<Name extends ManageOperation> = [Part<Name, 'body'>] extends [never]
  ? unknown
  : { readonly body: Part<Name, 'body'> }

export type InputOf<Name extends ManageOperation> = ParamsOf<Name> & QueryOf<Name> & BodyOf<Name>
export type AnswerOf<Name extends ManageOperation> = Operations[Name]['answer']['_zod']['output']

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `${filled}?${text}` : filled
}

/** The address of a call, for code that makes the request itself. */
export const addressOfCall = <Name extends ManageOperation>(name: Name, input: InputOf<Name>): string =>
  addressOf(endpoints[name][1], input ?? {})

/** Operations that begin or end a session: if there is none, the person is not asked to sign in. */
const needsNoSession: ReadonlySet<ManageOperation> = new Set([
  'endSession',
  'startSignIn',
  'signInWithCode',
  'signInWithLink',
  'startPasskeySignIn',
  'signInWithPasskey',
])

/** For a read, the person is asked to sign in again only if the page has unsaved changes, or asks them already. */
function proofFor(name: ManageOperation, error: unknown) {
  const isWorthAsking =
    endpoints[name][0] === 'GET' ? isSignedOut(error) && (hasUnsaved() || isAsking()) : true
  return isWorthAsking && !needsNoSession.has(name) ? proofNeeded(error) : null
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Repeats of a change with the same idempotency key act only once. */
  readonly key?: string
}

/** If a call needs a fresh proof, or another session, the person is asked for it and the call is made again. */
export async function call<Name extends ManageOperation>(
  name: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> {
  try {
    return await callOnce(name, input, options)
  } catch (error) {
    const kind = proofFor(name, error)
    if (kind === null || !(await askForProof(kind))) throw error
    return callOnce(name, input, options)
  }
}

function callOnce<Name extends ManageOperation>(
  name: Name,
  input: InputOf<Name>,
  { signal, key }: CallOptions,
): Promise<AnswerOf<Name>> {
  const [method, path] = endpoints[name]
  const given: AnyInput = input ?? {}
  return askService(addressOf(path, given), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    ...(signal ? { signal } : {}),
  })
}
