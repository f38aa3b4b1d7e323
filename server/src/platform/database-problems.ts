/** What is wrong with the database, by the error that it or the connection gives. */

import { codeOf, failsToConnect } from './error-code.ts'

export const databaseProblems = [
  'unreachable',
  'refused',
  'starting',
  'not_answering',
  'connections_exhausted',
  'disk_full',
  'disk_failing',
  'out_of_memory',
  'read_only',
  'no_primary',
  'standby_not_confirming',
] as const
export type DatabaseProblem = (typeof databaseProblems)[number]

/** None of the hosts takes writes, or the one that we are connected to does not. */
export class NoPrimaryError extends Error {
  readonly code = 'NO_PRIMARY'

  constructor(message = 'no host of the database takes writes') {
    super(message)
  }
}

/** By SQLSTATE: what PostgreSQL says of itself. Locks and deadlocks are about rows, not about the database. */
const states: readonly (readonly [RegExp, DatabaseProblem])[] = [
  [/^53100/, 'disk_full'],
  // What it cannot read or write, and files that are gone.
  [/^58(030|P01)/, 'disk_failing'],
  [/^53200/, 'out_of_memory'],
  [/^53300/, 'connections_exhausted'],
  [/^25006/, 'read_only'],
  [/^57P03/, 'starting'],
  [/^(28|3D000)/, 'refused'],
  [/^(08|57P)/, 'unreachable'],
  // What Node says of certificates, and of TLS itself.
  [/CERT|UNABLE_TO_(GET|VERIFY)|^ERR_(SSL|TLS)_|^EPROTO$/, 'refused'],
  [/^NO_PRIMARY$/, 'no_primary'],
  [/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/, 'unreachable'],
]
/** By what the driver says: it has no codes. */
const sentences: readonly (readonly [RegExp, DatabaseProblem])[] = [
  [/due to connection timeout|Connection terminated|encountered a connection error/i, 'unreachable'],
  [/timeout/i, 'not_answering'],
  [/SSL connection/, 'refused'],
]

/** Null for what says nothing of the database as a whole. */
export function databaseProblemOf(error: unknown): DatabaseProblem | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  const [list, said] = code === null ? [sentences, error.message] : [states, code]
  return list.find(([pattern]) => pattern.test(said))?.[1] ?? (failsToConnect(error) ? 'unreachable' : null)
}

/** Why a connection was lost: a code where there is one, else what the driver has seen. */
export const causeOf = (error: unknown): string =>
  codeOf(error) ?? databaseProblemOf(error) ?? (error instanceof Error ? error.name : typeof error)
