/** Finds the database, and explains why it cannot be reached. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@countersign/contract'
import type { Config } from '../config.ts'
import { ConfigError } from '../platform/config-error.ts'
import { databaseUrlFile } from '../platform/data-folder.ts'
import { NoPrimaryError } from '../platform/database/problems.ts'
import { codeOf, failsToConnect } from '../platform/error-code.ts'
import { UnreadableFileError } from '../platform/private-file.ts'
import { AwayError } from './command.ts'

export async function getDatabaseUrl({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<string> {
  if (databaseUrl) return databaseUrl
  const file = join(dataDir, databaseUrlFile)
  const url = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new AwayError(new UnreadableFileError(file, error).message)
  })
  if (!url) throw new AwayError(`No service is running on ${dataDir}. Start one, or set DATABASE_URL.`)
  return url
}

const closed = {
  what: 'it closed the connection',
  mend: 'Is it a PostgreSQL that listens there? Look into its log; it may be starting, or not speak TLS.',
} as const

/** What PostgreSQL and the network report, and what to do. Never quotes the URL, which contains the password. */
const reasons: readonly (readonly [code: RegExp, what: string, mend: string])[] = [
  [
    /^ECONNREFUSED$/,
    'nothing listens there',
    'Start PostgreSQL, or set the right host and port in DATABASE_URL.',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'its host has no address',
    'Set the right host in DATABASE_URL, or mend the name server.',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    'it does not answer',
    'Is a firewall in between? Let this machine reach its port.',
  ],
  [/^(ECONNRESET|EPIPE)$/, closed.what, closed.mend],
  [/^28P01$/, 'it does not take the password', 'Set the right user and password in DATABASE_URL.'],
  [
    /^28000$/,
    'it does not let this user in from here',
    'Allow the user in pg_hba.conf, or add ?sslmode=require to DATABASE_URL.',
  ],
  [/^3D000$/, 'there is no such database', 'Create it: createdb, owned by the user of DATABASE_URL.'],
  [
    /^53300$/,
    'it has no connection left',
    'Raise max_connections, or lower DATABASE_CONNECTIONS or PROCESSES.',
  ],
  [/^53100$/, 'its disk is full', 'Make room on the disk of PostgreSQL.'],
  [/^53200$/, 'it has no memory left', 'Give its machine more, or lower shared_buffers or max_connections.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'its certificate is for another name',
    'Write the host in DATABASE_URL as the certificate has it, or set sslmode=verify-ca with sslrootcert.',
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    'its certificate is not valid at this time',
    'Give PostgreSQL a new certificate (ssl_cert_file), or set the clock of this machine.',
  ],
  [
    /CERT|^UNABLE_TO_(GET|VERIFY)/,
    'its certificate is of an authority that is not known here',
    'Set sslrootcert in DATABASE_URL to the file with the certificate of that authority: ?sslmode=verify-full&sslrootcert=/path/ca.crt',
  ],
  [
    /^(ERR_SSL_|ERR_TLS_|EPROTO)/,
    'it does not agree on TLS',
    'Look into its log; of sslcert and sslkey in DATABASE_URL, are both right?',
  ],
  [
    /^NO_CHANNEL_BINDING$/,
    'it does not offer channel binding, which DATABASE_URL requires',
    'Is a proxy in between that ends TLS? Connect without it, or set sslmode=verify-full in place of channel_binding=require.',
  ],
  [/^55000$/, 'it lets nobody in', 'Open it again, as a superuser: alter database … allow_connections true'],
  [/^57P03$/, 'it is starting or stopping', 'Wait a moment, then look into its log.'],
  [
    /^25006$/,
    'it takes no writes: it is a standby, or read only',
    'Let DATABASE_URL name the primary, or set default_transaction_read_only = off.',
  ],
  [
    /^42501$/,
    'its user may not do what is needed',
    'Let the user of DATABASE_URL own the database and its tables; countersign doctor says what is missing.',
  ],
  [
    /^3F000$/,
    'it has no schema to make tables in',
    'Create the schema that search_path names, owned by the user of DATABASE_URL.',
  ],
  [
    /^(42P07|42703)$/,
    'it has tables of another program, or of another version',
    'Give Countersign a database of its own; countersign doctor says which version made this one.',
  ],
  [/^42P01$/, 'it has no tables of ours yet', 'Start the service once, or run: countersign migrate'],
]

export interface Reason {
  readonly what: string
  readonly mend: string
}

/** Null for an error that is not about the database. */
export function whyAway(error: unknown): Reason | null {
  // Its message already says what to do, and may contain the word timeout.
  if (error instanceof ConfigError) return null
  const code = codeOf(error) ?? ''
  const known = reasons.find(([pattern]) => pattern.test(code))
  if (known) return { what: known[1], mend: known[2] }
  const cause = error instanceof Error && error.cause ? error.cause : error
  if (cause instanceof NoPrimaryError)
    return { what: cause.message, mend: 'Promote one, or let DATABASE_URL name the one that takes writes.' }
  if (failsToConnect(error))
    return {
      what: `it cannot be connected to (${code})`,
      mend: 'Start PostgreSQL. If DATABASE_URL names the folder of its socket, is it the right one, and may this user open it?',
    }
  const message = cause instanceof Error ? cause.message : ''
  // Older poolers have only this code, for a wrong password, an unknown database or user, and too many clients.
  if (code === '08P01')
    return {
      what: `the pooler in front of it says "${message}"`,
      mend: 'Compare DATABASE_URL with the databases, users and limits in the settings of the pooler, and look into its log.',
    }
  if (/^The server does not support SSL connections/.test(message))
    return {
      what: 'it does not speak TLS, which sslmode asks for',
      mend: 'Switch it on in PostgreSQL (ssl = on), or take sslmode out of DATABASE_URL.',
    }
  if (/client password must be a (non-empty )?string/.test(message))
    return {
      what: 'it wants a password, and DATABASE_URL has none',
      mend: 'Set user and password in it: postgresql://user:password@host:5432/name',
    }
  // A relay in front of a PostgreSQL that does not run yet accepts a connection and ends it, and so do other programs.
  if (/^connection terminated unexpectedly/i.test(message)) return closed
  // Matches only messages of the driver and PostgreSQL: our own errors may quote a log with the word timeout.
  if (/^(timeout |connection terminated due to|query read timeout|canceling statement)/i.test(message))
    return { what: 'it does not answer in time', mend: 'Is it overloaded, or a firewall in between?' }
  if (error instanceof AppError && error.errorName === 'UnavailableError')
    return { what: 'it does not answer', mend: 'Is DATABASE_URL right? Look into its log.' }
  return null
}

export const sentenceOf = ({ what, mend }: Reason) => `The database cannot be used: ${what}. ${mend}`

/** Why an HTTP call got no answer, by the error of the network. */
export function whyUnanswered(error: unknown): string {
  const code = codeOf(error) ?? ''
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'its name has no address'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return `its certificate is not accepted (${code})`
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (error instanceof Error && error.name === 'TimeoutError') return 'it does not answer in time'
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  return `it cannot be reached (${code || cause || 'no reason'})`
}
