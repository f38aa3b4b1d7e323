/** What every endpoint declares: who may call it, what it takes, what it answers, how it refuses. */
import type { z } from 'zod'
import type { ErrorName } from './errors/errors.ts'

/**
 * `public`: anybody. `key`: a server or a publishable key. `server_key`: a server key only.
 * `session`: a signed-in person. `signed_in`: a signed-in person or the operator's token.
 * `viewer`, `developer`, `owner`: at least that role in the company that the call is about, or the operator. The
 * first id of the path says which company that is, and `company` where there is none.
 * `operator`: the operator's token, or a person who is an operator.
 */
export type Access =
  | 'public'
  | 'key'
  | 'server_key'
  | 'session'
  | 'signed_in'
  | 'viewer'
  | 'developer'
  | 'owner'
  | 'operator'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly access: Access
  /** Where `company_id` is if the path has no id. Absent for calls about the operator's own, or about all companies. */
  readonly company?: 'query' | 'body'
  readonly summary: string
  readonly body?: z.ZodType
  /** What OpenAPI shows for a body that can be validated only together with what is stored. */
  readonly shownBody?: z.ZodType
  readonly query?: z.ZodObject
  readonly answer: z.ZodType
  /** A list that is also available as a file: the field with the rows, or how they are made, and the columns. */
  readonly csv?: {
    readonly rows: string
    readonly columns: readonly string[]
    readonly rowsOf?: (answer: unknown) => readonly Readonly<Record<string, unknown>>[]
  }
  readonly status?: 201
  readonly headers?: Readonly<Record<string, string>>
  /** A person must have proven who they are within the last ten minutes. The operator's token is not affected. */
  readonly isFresh?: true
  /** Takes an `idempotency-key`: a repeat of the call changes nothing more, and gets the first answer. */
  readonly isOnce?: true
  /** A POST that changes nothing, and is not in the audit trail. */
  readonly isReading?: true
  /** Takes seconds, and has turns of its own: the other calls of the same person do not wait for it. */
  readonly isLong?: true
  /** Fields of the body whose values the audit trail may show; of other fields it shows only the name. */
  readonly recorded?: readonly string[]
  /** Fields of the body that are a recipient or an email address, which the trail shows masked. */
  readonly masked?: readonly string[]
  /** Fields that are a URL or a host, or an object with some: shown without user, password and query. */
  readonly hosts?: readonly string[]
  readonly errors: readonly ErrorName[]
}
