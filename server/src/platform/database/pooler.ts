/**
 * What a connection keeps from one transaction to the next. A pooler in transaction mode may give each transaction
 * another session: settings of the connection are dropped or refused, and only newer poolers keep prepared statements.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ConfigError } from '../config-error.ts'
import { codeOf } from '../error-code.ts'
import { DatabaseClient } from './client.ts'
import { connectClient } from './connect-client.ts'
import { getWritableUrl } from './primary.ts'

/** Plain values, so that they can be sent to another process. */
export interface Sessions {
  readonly keepSettings: boolean
  readonly keepStatements: boolean
}

/** Sessions of PostgreSQL itself, or of a pooler in session mode. */
export const wholeSessions: Sessions = { keepSettings: true, keepStatements: true }

/** Longer than any statement of ours needs, shorter than a caller waits. */
export const statementTimeoutMs = 8_000
const lockTimeoutMs = 5_000

export const sessionSettings = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs,
} as const

const patienceMs = 5_000
/** PgBouncer's answer to a setting that it does not pass on. */
const protocolViolation = '08P01'
/** How many transactions are opened at most to force the client onto another session. */
const mostBlockers = 4

/** Throws an error that names the setting, if one has to be changed first. */
export async function inspectSessions(databaseUrl: string): Promise<Sessions> {
  const url = await getWritableUrl(databaseUrl)
  if (await keepsSettings(url)) return wholeSessions
  const client = await connect(url)
  try {
    await assertTimeouts(client)
    return { keepSettings: false, keepStatements: await keepsStatements(url, client) }
  } finally {
    await client.end()
  }
}

async function connect(url: string, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    ...settings,
  })
  client.on('error', () => {})
  await connectClient(client)
  return client
}

/** Values that no database has by default. With the usual values, a pooler that drops them might seem to keep them. */
const unusualSettings: Readonly<Record<SettingName, number>> = {
  statement_timeout: sessionSettings.statement_timeout - 1,
  lock_timeout: sessionSettings.lock_timeout - 1,
  idle_in_transaction_session_timeout: sessionSettings.idle_in_transaction_session_timeout - 1,
}

async function keepsSettings(url: string): Promise<boolean> {
  try {
    const client = await connect(url, unusualSettings)
    const timeouts = await readTimeouts(client).finally(() => client.end())
    return timeouts.every(({ ms, name }) => ms === unusualSettings[name])
  } catch (error) {
    if (codeOf(error) === protocolViolation) return false
    throw error
  }
}

type SettingName = keyof typeof sessionSettings
const settingNames: readonly SettingName[] = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
]

async function readTimeouts(client: pg.Client) {
  const { rows } = await client.query<{ name: SettingName; ms: number }>(
    'select name, setting::int as ms from pg_settings where name = any($1)',
    [settingNames],
  )
  return rows
}

/** Without these timeouts a statement that waits for a lock could wait for ever, and keep a session of the pooler. */
async function assertTimeouts(client: pg.Client): Promise<void> {
  const missing = (await readTimeouts(client)).filter(({ ms }) => ms === 0).map(({ name }) => name)
  if (missing.length === 0) return
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
  const lines = missing.map(
    (name) => `  alter database ${rows[0]?.name} set ${name} = '${sessionSettings[name] / 1000}s';`,
  )
  throw new ConfigError(
    `DATABASE_URL leads to a pooler that does not pass settings on. Set them in the database itself, as its owner, ` +
      `and let the pooler connect anew:\n${lines.join('\n')}`,
  )
}

/** Prepares a statement in one session and runs it in another, to which open transactions of others push the client. */
async function keepsStatements(url: string, client: pg.Client): Promise<boolean> {
  // A unique name: a session may still have the statement of an earlier start, which would look as if it was kept.
  const name = `countersign-where-${randomBytes(6).toString('hex')}`
  const question = { name, text: 'select pg_backend_pid() as pid' }
  const ask = async () => (await client.query<{ pid: number }>(question)).rows[0]?.pid
  const blockers: pg.Client[] = []
  try {
    const prepared = await ask()
    while (blockers.length < mostBlockers) {
      const blocker = await connect(url)
      blockers.push(blocker)
      await blocker.query('begin')
      if ((await ask()) !== prepared) return true
    }
    // It was always the same session, which proves nothing.
    return false
  } catch {
    // The other session does not know the statement, or there is no other session.
    return false
  } finally {
    await Promise.all(blockers.map(release))
  }
}

/** A client that never got a session, or has lost it, has nothing to roll back. */
async function release(blocker: pg.Client): Promise<void> {
  await blocker.query('rollback').catch(() => {})
  await blocker.end()
}
