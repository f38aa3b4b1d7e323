/** Tables that grow are cut by day along their ids: partitions are made ahead and dropped by retention. */
import type { Database } from './database.ts'
import { type IdKind, lowestId, timeOfId } from './ids.ts'

const partitioned: readonly { readonly table: string; readonly idKind: IdKind }[] = [
  { table: 'verifications', idKind: 'verification' },
  { table: 'deliveries', idKind: 'delivery' },
  { table: 'events', idKind: 'event' },
  { table: 'decisions', idKind: 'decision' },
  { table: 'event_attempts', idKind: 'event' },
]
const dayMs = 86_400_000
const daysAhead = 8
/** Ids of a node whose clock runs behind still find a home. */
const daysBehind = 1
const upkeepLock = 7_304_002

const startOfDay = (timeMs: number) => Math.floor(timeMs / dayMs) * dayMs
const nameOf = (table: string, dayStartMs: number) =>
  `${table}_${new Date(dayStartMs).toISOString().slice(0, 10).replaceAll('-', '')}`

/**
 * The partition itself, while it is sure to be there, for statements that name one row and are run all the time:
 * through the parent PostgreSQL plans each call anew, which takes longer than running it.
 */
export function partitionOf(
  table: 'verifications' | 'deliveries' | 'events',
  id: string,
  nowMs: number,
): string {
  const day = startOfDay(timeOfId(id))
  const today = startOfDay(nowMs)
  return day === today || day === today - dayMs ? nameOf(table, day) : table
}

export async function makePartitions(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [upkeepLock] })
    const { today, present } = await readPartitions(transaction)
    for (let day = -daysBehind; day <= daysAhead; day++) {
      const start = today + day * dayMs
      for (const { table, idKind } of partitioned) {
        const name = nameOf(table, start)
        if (present.has(name)) continue
        await transaction.query({
          text: `create table ${name} partition of ${table} for values from ('${lowestId(idKind, start)}') to ('${lowestId(idKind, start + dayMs)}')`,
        })
      }
    }
  })
}

/** Returns the names of what was dropped. */
export async function dropOldPartitions(database: Database, retentionDays: number): Promise<string[]> {
  const { today, present } = await readPartitions(database)
  const oldest = new Date(today - retentionDays * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
  const expired = [...present].filter((name) => name.slice(-8) < oldest).sort()
  for (const name of expired) {
    // `if exists`: another node may have been quicker.
    await database.query({ text: `drop table if exists ${name}` })
  }
  return expired
}

async function readPartitions(
  queryable: Pick<Database, 'query'>,
): Promise<{ today: number; present: Set<string> }> {
  const found = await queryable.query<{ names: string[] | null; now_ms: bigint }>({
    text: `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
                  (select array_agg(child.relname::text)
                     from pg_inherits
                     join pg_class child on child.oid = inhrelid
                     join pg_class parent on parent.oid = inhparent
                    where parent.relname = any($1) and parent.relnamespace = current_schema()::regnamespace
                      and child.relkind = 'r') as names`,
    values: [partitioned.map((entry) => entry.table)],
  })
  const row = found.rows[0]
  return { today: startOfDay(Number(row?.now_ms)), present: new Set(row?.names ?? []) }
}
