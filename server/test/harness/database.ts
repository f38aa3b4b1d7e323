/** Each test file gets its own database, cloned from a template that is made once a run. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openDatabase } from '../../src/platform/database.ts'
import { startThrowawayDatabase } from '../../src/platform/embedded-database.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { makePartitions } from '../../src/platform/partitions.ts'
import { recordStatements } from './statements.ts'

export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))
/** Migrated and with its first partitions, because making those is the longest part of a node's start. */
const template = 'countersign_template'
const migratedTemplate = 'countersign_migrated'
const templateLock = 7_304_900

if (process.env.STATEMENTS_DIR) recordStatements(process.env.STATEMENTS_DIR)

export interface TestDatabase {
  readonly url: string
  readonly query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  /** Runs a statement as somebody who has switched the triggers off. */
  readonly tamper: (text: string, values?: unknown[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** The server that the runner has started for the whole run, otherwise one for this file. */
async function findServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  return url ? { url, close: async () => {} } : startThrowawayDatabase()
}

const withName = (url: string, name: string) => {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  return copy.href
}

async function withClient<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

async function makeTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const found = await client.query('select 1 from pg_database where datname = $1', [template])
    if (found.rowCount === 1) return
    const url = withName(serverUrl, `${template}_new`)
    await client.query(`create database ${migratedTemplate}`)
    await migrate(withName(serverUrl, migratedTemplate), migrationsFolder, () => {})
    await client.query(`create database ${template}_new template ${migratedTemplate}`)
    const database = openDatabase(url, 1, () => {})
    await makePartitions(database).finally(database.close)
    await client.query(`alter database ${template}_new rename to ${template}`)
  })
}

export const createTestDatabase = (): Promise<TestDatabase> => cloneOf(template)

/** Only migrated, for tests about the partitions themselves. */
export const createTestDatabaseWithoutPartitions = (): Promise<TestDatabase> => cloneOf(migratedTemplate)

async function cloneOf(source: string): Promise<TestDatabase> {
  const server = await findServer()
  await makeTemplate(server.url)
  const name = `test_${randomBytes(6).toString('hex')}`
  await withClient(server.url, async (client) => {
    // A template can be copied only while nobody uses it, so files that start together take turns.
    await client.query('select pg_advisory_lock($1)', [templateLock])
    await client.query(`create database ${name} template ${source} strategy file_copy`)
  })
  const url = withName(server.url, name)
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => {})
  return {
    url,
    query: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await pool.query<Row>(text, values)).rows,
    tamper: (text, values = []) =>
      withClient(url, async (client) => {
        await client.query('set session_replication_role = replica')
        await client.query(text, values)
      }),
    close: async () => {
      await pool.end()
      await withClient(server.url, (client) => client.query(`drop database if exists ${name} with (force)`))
      await server.close()
    },
  }
}

/** The pids of the server processes that serve this database, if the server is on this machine. */
export async function processesOf({ query }: TestDatabase): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  )
  return rows.map(({ pid }) => pid)
}
