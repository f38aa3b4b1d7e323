/** Tables that grow are partitioned by day along their ids: partitions are made ahead, and dropped by retention. */
import type { Database, Queryable } from './database.ts'
import { type IdKind, lowestId, timeOfId } from './ids.ts'
import { memo } from './memo.ts'

/** The partitioned tables, each with the kind of its ids. */
export const cutByDay = {
  verifications: 'verification',
  deliveries: 'delivery',
  events: 'event',
  decisions: 'decision',
  event_attempts: 'event',
  refusals: 'refusal',
} as const satisfies Readonly<Record<string, IdKind>>
export type Parent = keyof typeof cutByDay
const parents = Object.keys(cutByDay) as readonly Parent[]

export const dayMs = 86_400_000
const daysAhead = 8
/** A node whose clock is behind may still make ids of yesterday. */
const daysBehind = 1
const makingLock = 7_304_002
const daysRemembered = 100
/**
 * Leaves room on each page for updates. Neither a receipt nor a guess changes an indexed column, so if the new version
 * of the row fits on the same page, no index is touched. Nearly every verification gets a guess, so about half of its
 * page stays free.
 */
const storage: Partial<Readonly<Record<Parent, string>>> = {
  deliveries: ' with (fillfactor = 70)',
  verifications: ' with (fillfactor = 48)',
}

export const startOfDay = (timeMs: number) => Math.floor(timeMs / dayMs) * dayMs
const dateOf = memo(
  daysRemembered,
  (dayStartMs: number) => dayStartMs,
  (dayStartMs) => new Date(dayStartMs).toISOString().slice(0, 10).replaceAll('-', ''),
)
const nameOf = (parent: Parent, dayStartMs: number) => `${parent}_${dateOf(dayStartMs)}`

/**
 * The name of the partition, if it is sure to exist, else the parent's. For frequent statements on one row: through the
 * parent, PostgreSQL plans each call again, which takes longer than running it.
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

/** Makes the partitions of each table separately, so that a table that is locked or broken does not stop the others. */
export async function makePartitions(database: Database): Promise<void> {
  const problems: unknown[] = []
  const found = await readPartitions(database)
  for (const parent of parents.filter((one) => missingDays(one, found).length > 0)) {
    await makePartitionsOf(database, parent).catch((error: unknown) => problems.push(error))
  }
  if (problems.length > 0) throw problems[0]
}

async function makePartitionsOf(database: Database, parent: Parent): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [makingLock] })
    for (const start of missingDays(parent, await readPartitions(transaction))) {
      const [from, to] = [start, start + dayMs].map((bound) => lowestId(cutByDay[parent], bound))
      await transaction.query({
        text: `create table ${nameOf(parent, start)} partition of ${parent} for values from ('${from}') to ('${to}')${storage[parent] ?? ''}`,
      })
    }
  })
}

function missingDays(parent: Parent, { nowMs, partitions }: Partitions): number[] {
  const present = new Set(partitions.map(({ name }) => name))
  const days = Array.from({ length: daysBehind + 1 + daysAhead }, (_, index) => index - daysBehind)
  return days
    .map((day) => startOfDay(nowMs) + day * dayMs)
    .filter((start) => !present.has(nameOf(parent, start)))
}

/** The time until which every table has partitions, without a gap from today on. */
export async function readRoom(database: Queryable): Promise<number> {
  const { nowMs, partitions } = await readPartitions(database)
  const ends = parents.map((parent) => {
    const own = new Map(
      partitions.filter((entry) => entry.parent === parent).map(({ startMs, endMs }) => [startMs, endMs]),
    )
    let endMs = startOfDay(nowMs)
    for (let next = own.get(endMs); next !== undefined; next = own.get(endMs)) endMs = next
    return endMs
  })
  return Math.min(...ends)
}

export interface Partition {
  readonly parent: Parent
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

interface Partitions {
  /** The time by the database's clock. */
  readonly nowMs: number
  readonly partitions: readonly Partition[]
}

/** Reads the bounds from PostgreSQL's catalogue: no row of a partition has an id outside them. */
export async function readPartitions(queryable: Queryable): Promise<Partitions> {
  const found = await queryable.query<{
    now_ms: bigint
    found: { parent: Parent; name: string; bounds: string }[] | null
  }>({
    text: `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
                  (select json_agg(json_build_object('parent', parent.relname, 'name', child.relname,
                                                     'bounds', pg_get_expr(child.relpartbound, child.oid)))
                     from pg_inherits
                     join pg_class child on child.oid = inhrelid
                     join pg_class parent on parent.oid = inhparent
                    where parent.relname = any($1) and parent.relnamespace = current_schema()::regnamespace
                      and child.relkind = 'r') as found`,
    values: [parents],
  })
  const row = found.rows[0]
  const partitions = (row?.found ?? []).flatMap(({ bounds, ...named }) => {
    const [, from, to] = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/.exec(bounds) ?? []
    return from && to ? [{ ...named, startMs: timeOfId(from), endMs: timeOfId(to) }] : []
  })
  return { nowMs: Number(row?.now_ms), partitions }
}
