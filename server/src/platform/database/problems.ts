/** Names what is wrong with the database, by the error that it or the connection gives. */

import { codeOf, failsToConnect } from '../error-code.ts'

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

/** By SQLSTATE or Node's error code. Locks and deadlocks are about rows, not about the database, and are not listed. */
const states: readonly (readonly [RegExp, DatabaseProblem])[] = [
  [/^53100/, 'disk_full'],
  // I/O errors, and files that are missing.
  [/^58(030|P01)/, 'disk_failing'],
  [/^53200/, 'out_of_memory'],
  [/^53300/, 'connections_exhausted'],
  [/^25006/, 'read_only'],
  [/^57P03/, 'starting'],
  [/^(28|3D000)/, 'refused'],
  [/^(08|57P)/, 'unreachable'],
  // Node's codes for certificates and TLS.
  [/CERT|UNABLE_TO_(GET|VERIFY)|^ERR_(SSL|TLS)_|^EPROTO$/, 'refused'],
  [/^NO_CHANNEL_BINDING$/, 'refused'],
  [/^NO_PRIMARY$/, 'no_primary'],
  [/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/, 'unreachable'],
]
/** By the driver's message, for its errors without a code. */
const sentences: readonly (readonly [RegExp, DatabaseProblem])[] = [
  [/due to connection timeout|Connection terminated|encountered a connection error/i, 'unreachable'],
  [/timeout/i, 'not_answering'],
  [/SSL connection/, 'refused'],
]

/** Null for an error that says nothing about the database as a whole. */
export function databaseProblemOf(error: unknown): DatabaseProblem | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  const [list, said] = code === null ? [sentences, error.message] : [states, code]
  return list.find(([pattern]) => pattern.test(said))?.[1] ?? (failsToConnect(error) ? 'unreachable' : null)
}

/** Why a connection was lost: the error's code if it has one, else the problem that its message names. */
export const causeOf = (error: unknown): string =>
  codeOf(error) ?? databaseProblemOf(error) ?? (error instanceof Error ? error.name : typeof error)
