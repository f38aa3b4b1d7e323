/** What a handler gets and gives: parsed words in, plain values out. */
import { type Access, AppError, type Operation, operations } from '@countersign/contract'
import type { z } from 'zod'
import type { Principal } from '../domain/tenancy/index.ts'
import { problemsOf, validationError } from '../domain/tenancy/index.ts'

export interface Incoming<Body, Query> {
  readonly body: Body
  readonly query: Query
  readonly params: Readonly<Record<string, string>>
  /** Lower-case names. */
  readonly header: (name: string) => string | undefined
  /** The caller's own address, read through trusted proxies only. */
  readonly callerAddress: string
}

/** Handlers of `/api/v1` know their key; those of the operator know nobody. */
export type Caller<A extends Access> = A extends 'operator' ? null : Principal

type BodyOf<O> = O extends { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type QueryOf<O> = O extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
type AnswerOf<O> = O extends { readonly answer: infer Schema extends z.ZodType } ? z.input<Schema> : never

export interface Route {
  readonly operation: Operation
  readonly run: (incoming: Incoming<unknown, unknown>, principal: Principal | null) => Promise<unknown>
}

type Operations = typeof operations

/** The answer's type is the contract's: what is documented is what is sent. */
export function route<Name extends keyof Operations>(
  name: Name,
  handle: (
    incoming: Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>>,
    caller: Caller<Operations[Name]['access']>,
  ) => Promise<AnswerOf<Operations[Name]>>,
): Route {
  const operation: Operation = operations[name]
  return {
    operation,
    run: (incoming, principal) => {
      const parsed = {
        ...incoming,
        body: operation.body ? parseOrRefuse(operation.body, incoming.body) : undefined,
        query: operation.query ? parseOrRefuse(operation.query, incoming.query) : undefined,
      } as Incoming<BodyOf<Operations[Name]>, QueryOf<Operations[Name]>>
      return handle(parsed, principal as Caller<Operations[Name]['access']>)
    },
  }
}

/** For a body that is merged into what is there before it can be judged whole: only its being an object is checked. */
export function rawBodyRoute<Name extends 'createApp' | 'updateApp'>(
  name: Name,
  handle: (incoming: Incoming<Record<string, unknown>, undefined>) => Promise<AnswerOf<Operations[Name]>>,
): Route {
  return {
    operation: operations[name],
    run: async (incoming) => {
      if (typeof incoming.body !== 'object' || incoming.body === null || Array.isArray(incoming.body)) {
        throw validationError([{ path: '', message: 'must be a JSON object' }])
      }
      return handle({ ...incoming, body: { ...incoming.body }, query: undefined })
    },
  }
}

function parseOrRefuse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw validationError(parsed.error.issues.flatMap(problemsOf))
}

export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string' || text === '')
    throw validationError([{ path: '', message: 'a JSON body is needed' }])
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('ValidationError', 'The body is not JSON.', {
      fields: [{ path: '', message: 'is not JSON' }],
    })
  }
}
