/** Numbered SQL files, forward only, each in one transaction; two nodes that start at once take turns. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findWritableUrl } from './primary.ts'

const migrationLock = 7_304_001
const minimumVersion = 150_000

export async function migrate(
  url: string,
  folder: string,
  log: (message: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  const client = new pg.Client({
    connectionString: await findWritableUrl(url),
    connectionTimeoutMillis: 10_000,
  })
  // The file that is being applied is rolled back, and whoever holds the lock is no longer waited for.
  const giveUp = () => void client.end().catch(() => {})
  signal?.throwIfAborted()
  signal?.addEventListener('abort', giveUp, { once: true })
  await client.connect().catch((error: Error) => {
    throw new Error(`The database cannot be reached (${error.message}). Is DATABASE_URL right?`)
  })
  try {
    const version = await client.query<{ number: string }>(
      "select current_setting('server_version_num') as number",
    )
    if (Number(version.rows[0]?.number) < minimumVersion) throw new Error('PostgreSQL 15 or newer is needed.')
    while (await applyNext(client, folder, files, log)) signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener('abort', giveUp)
    await client.end()
  }
}

/**
 * Applies the first file that is missing; false when there is none. The lock ends with the transaction, since behind a
 * pooler the next statement may come to another session, and this one would keep it for ever.
 */
async function applyNext(
  client: pg.Client,
  folder: string,
  files: readonly string[],
  log: (message: string) => void,
): Promise<boolean> {
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  )
  const applied = await client.query<{ name: string }>('select name from migrations order by name')
  const done = new Set(applied.rows.map((row) => row.name))
  const unknown = [...done].filter((name) => !files.includes(name))
  if (unknown.length > 0) {
    throw new Error(
      `This database was made by a newer Countersign (it has ${unknown.join(', ')}). Start that version.`,
    )
  }
  const name = files.find((file) => !done.has(file))
  if (name !== undefined) {
    log(`migrating the database: ${name}`)
    await client.query(await readFile(join(folder, name), 'utf8'))
    await client.query('insert into migrations (name) values ($1)', [name])
  }
  await client.query('commit')
  return name !== undefined
}
