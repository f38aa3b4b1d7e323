/** Applies numbered SQL files, forward only, each in one transaction. Nodes that start at the same time take turns. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseClient } from './database/client.ts'
import { connectClient } from './database/connect-client.ts'
import { getWritableUrl } from './database/primary.ts'
import { type UnfitSetting, unfitSettings } from './database/unfit-settings.ts'
import {
  type Applied,
  appliedMigrations,
  compareMigrations,
  type Migration,
  readMigrations,
} from './migration-files.ts'

const migrationLock = 7_304_001
const minimumVersion = 150_000
/** Needed because names of apps and companies, and message texts, may be in any script. */
export const neededEncoding = 'UTF8'
/**
 * A migration that waits for a table's lock blocks every statement behind it, while the previous version is still
 * running. So it waits briefly, and tries again.
 */
const lockMs = 1_000
const tries = 60
const pauseMs = 1_000
/** A lock that did not come in time, and one that two transactions would have waited for in vain. */
const inTheWay = new Set(['55P03', '40P01'])

/**
 * A migration may read a large table, or wait for another node's. The database's own limits, which it needs behind a
 * pooler, are for calls; not every version of PostgreSQL has all of them.
 */
const unlimited = `select set_config(name, '0', true) from pg_settings
 where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

/** The database answers, but cannot be used as it is. The message says what to do. */
export class UnfitError extends Error {}

/** Returns the names of the files that this call has applied. */
export async function migrate(
  url: string,
  folder: string,
  log: (message: string) => void,
  signal?: AbortSignal,
): Promise<string[]> {
  const files = await readMigrations(folder)
  const client = new DatabaseClient({
    connectionString: await getWritableUrl(url),
    connectionTimeoutMillis: 10_000,
  })
  // Rolls back the file that is being applied, and stops waiting for the lock.
  const giveUp = () => void client.end().catch(() => {})
  signal?.throwIfAborted()
  signal?.addEventListener('abort', giveUp, { once: true })
  await connectClient(client).catch((error: Error) => {
    throw new Error(`The database cannot be reached (${error.message}). Is DATABASE_URL right?`, {
      cause: error,
    })
  })
  try {
    await assertFit(client)
    const applied: string[] = []
    for (;;) {
      const name = await applyPatiently(() => applyNext(client, files, log), client)
      if (name === null) return applied
      applied.push(name)
      signal?.throwIfAborted()
    }
  } finally {
    signal?.removeEventListener('abort', giveUp)
    await client.end()
  }
}

async function assertFit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; encoding: string }>(
    "select current_setting('server_version_num')::integer as number, current_setting('server_encoding') as encoding",
  )
  const [{ number = 0, encoding = '' } = {}] = rows
  if (number < minimumVersion) throw new UnfitError('PostgreSQL 15 or newer is needed.')
  if (encoding !== neededEncoding)
    throw new UnfitError(
      `The database has the encoding ${encoding}, in which not every name can be written. Create it with ${neededEncoding}: createdb --encoding=UTF8 --template=template0`,
    )
  const unfit = await client.query<UnfitSetting>(unfitSettings)
  if (unfit.rows.length > 0)
    throw new UnfitError(
      `The database has ${unfit.rows.map(({ setting }) => setting).join(' and ')}, with which it does not work. Run there: ${unfit.rows.map(({ remedy }) => remedy).join(' ')}`,
    )
}

async function applyPatiently(
  apply: () => Promise<string | null>,
  client: pg.Client,
): Promise<string | null> {
  for (let left = tries; ; left--) {
    try {
      return await apply()
    } catch (error) {
      const isLocked = error instanceof pg.DatabaseError && inTheWay.has(error.code ?? '')
      if (!isLocked || left === 0) throw error
      await client.query('rollback')
      await sleep(pauseMs)
    }
  }
}

/**
 * Applies the first file that is missing and returns its name; null if there is none. The lock is released with the
 * transaction: behind a pooler the next statement may run in another session, and a session lock would stay for ever.
 */
async function applyNext(
  client: pg.Client,
  files: readonly Migration[],
  log: (message: string) => void,
): Promise<string | null> {
  await client.query('begin')
  await client.query(unlimited)
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
  await client.query(
    'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  )
  const applied = await client.query<Applied>(appliedMigrations)
  const { newer, changed, missing } = compareMigrations(files, applied.rows)
  if (newer.length > 0) {
    throw new UnfitError(
      `This database was made by a newer Countersign (it has ${newer.join(', ')}). Start that version.`,
    )
  }
  if (changed.length > 0) {
    throw new UnfitError(
      `This database was made by an unreleased Countersign: ${changed.join(', ')} has changed since it was applied. Start the version that made it, or begin with an empty database.`,
    )
  }
  const [next] = missing
  if (next) {
    log(`migrating the database: ${next.name}`)
    // Set only now: the wait above is for another node that migrates, which may take long.
    await client.query(`set local lock_timeout = ${lockMs}`)
    await client.query(next.text)
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [next.name, next.sha256])
  }
  await client.query('commit')
  return next?.name ?? null
}
