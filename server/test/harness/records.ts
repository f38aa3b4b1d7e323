/** Reads the database directly, without the service. */
import type { TestDatabase } from './database.ts'
import { until } from './fixtures.ts'

/** The types of a verification's events, oldest first. */
export async function eventTypes(database: TestDatabase, otpId: string): Promise<string[]> {
  const rows = await database.query<{ type: string }>(
    "select type from events where otp_id = $1 and type like 'otp.%' order by event_id",
    [otpId],
  )
  return rows.map((row) => row.type)
}

export async function attemptsSpent(database: TestDatabase, otpId: string): Promise<number | undefined> {
  const [row] = await database.query<{ attempts: number }>(
    'select attempts from verifications where otp_id = $1',
    [otpId],
  )
  return row?.attempts
}

/**
 * Tables that change without a call: progress of figures and upkeep, counts of guesses, calls and errors, the state and
 * results of accounts, heartbeats of workers, last uses of keys.
 */
export const tablesThatMoveByThemselves = [
  'alert_states',
  'call_error_counts',
  'call_errors',
  'figures_progress',
  'guess_counts',
  'key_counts',
  'partition_upkeep',
  'provider_minutes',
  'provider_states',
  'route_counts',
  'workers',
]
const columnThatMovesByItself = 'last_used_at'

interface Row {
  readonly table: string
  readonly row: string
}

/** Every row of every table as text, partitions included, with the name of its table. */
export const dumpRows = (database: TestDatabase): Promise<Row[]> => dump(database, [])

/** The same without tables that change without a call, so that two dumps can be compared. */
export const lastingRows = (database: TestDatabase): Promise<Row[]> =>
  dump(database, tablesThatMoveByThemselves)

async function dump(database: TestDatabase, without: readonly string[]): Promise<Row[]> {
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  )
  const selects = tables
    .filter(({ name }) => !without.includes(name))
    .map(({ name }) => {
      const row = name === 'keys' ? `(to_jsonb(t) - '${columnThatMovesByItself}')::text` : 't::text'
      return `select '${name}' as "table", ${row} as row from "${name}" t`
    })
  // One statement for all tables: there are a hundred, and most are empty.
  return database.query(`${selects.join(' union all ')} order by 1, 2`)
}

/** Waits until all sends and guesses are recorded. After that no lasting row changes by itself. */
export async function settle(database: TestDatabase): Promise<void> {
  await until('all messages to be sent and all guesses to be counted', async () => {
    const waiting = await database.query(
      `select 1 from deliveries where status = 'queued'
        union all
       select 1 where (select coalesce(sum(attempts + (approved_by is not null)::integer), 0) from verifications)
                   <> (select coalesce(sum(guesses), 0) from guess_counts)
        limit 1`,
    )
    return waiting.length === 0
  })
}
