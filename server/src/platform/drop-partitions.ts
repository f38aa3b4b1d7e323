/**
 * Drops the days that retention does not keep, slowly: if a clock is wrong, or a setting was lowered by mistake,
 * somebody must have time to notice.
 */
import type { Database } from './database.ts'
import { dayMs, type Parent, type Partition, readPartitions, startOfDay } from './partitions.ts'

/** One day becomes due each day, so the other two catch up with a backlog. */
const daysDroppedADay = 3
/** If upkeep did not run for longer than this, or the clock jumped further, dropping pauses for `pauseDays`. */
const longestGapDays = 2
const pauseDays = 1
/** Clocks are corrected by less than this all the time, so a smaller step back does not end a pause. */
const toleratedHours = 1

export interface Dropped {
  readonly dropped: readonly Partition[]
  /** How many days that retention does not keep are still there. */
  readonly daysLeft: number
  /** Nothing is dropped before this time, because the clock had advanced by days since the last look. */
  readonly heldUntil: Date | null
}

/** Runs at most once a day over all nodes. Null when it is not due yet. */
export async function dropOldPartitions(database: Database, retentionDays: number): Promise<Dropped | null> {
  const turn = await takeTurn(database)
  if (turn.isNews) {
    const days = new Set((await listOldPartitions(database, retentionDays)).map(({ startMs }) => startMs))
    return { dropped: [], daysLeft: days.size, heldUntil: turn.heldUntil }
  }
  if (!turn.isOurs) return null
  return dropDays(database, retentionDays, daysDroppedADay)
}

/** For the command line: drops everything that retention does not keep, at once. */
export const dropAllOldPartitions = (database: Database, retentionDays: number): Promise<Dropped> =>
  dropDays(database, retentionDays, Number.POSITIVE_INFINITY)

/** The partitions that retention does not keep, oldest first. */
export async function listOldPartitions(
  database: Database,
  retentionDays: number,
): Promise<readonly Partition[]> {
  const { nowMs, partitions } = await readPartitions(database)
  const keptFromMs = startOfDay(nowMs) - retentionDays * dayMs
  return partitions.filter(({ endMs }) => endMs <= keptFromMs).sort((one, other) => one.endMs - other.endMs)
}

async function dropDays(database: Database, retentionDays: number, daysOfEach: number): Promise<Dropped> {
  const old = await listOldPartitions(database, retentionDays)
  const heldDays = await findHeldDays(database, old)
  const counts = new Map<Parent, number>()
  const dropped: Partition[] = []
  const kept: Partition[] = []
  for (const partition of old) {
    const count = counts.get(partition.parent) ?? 0
    if (count >= daysOfEach || (ofEvents.has(partition.parent) && heldDays.has(partition.startMs))) {
      kept.push(partition)
      continue
    }
    // `if exists`: another node may have been quicker.
    await database.query({ text: `drop table if exists ${partition.name}` })
    counts.set(partition.parent, count + 1)
    dropped.push(partition)
  }
  return { dropped, daysLeft: new Set(kept.map(({ startMs }) => startMs)).size, heldUntil: null }
}

/** A replay can make an old event wait again. Its day stays until the event was sent, given up or held for a week. */
async function findHeldDays(database: Database, old: readonly Partition[]): Promise<ReadonlySet<number>> {
  const held = new Set<number>()
  for (const { name, startMs } of old.filter(({ parent }) => parent === 'events')) {
    const found = await database.query<{ has_held: boolean }>({
      text: `select exists (select 1 from ${name} where status = 'waiting') /* every company: a day is dropped for all */
                 or exists (select 1 from ${name} where status = 'sending') as has_held`,
    })
    if (found.rows[0]?.has_held) held.add(startMs)
  }
  return held
}
const ofEvents: ReadonlySet<Parent> = new Set(['events', 'event_attempts'])

/**
 * A single statement, so that only one node a day gets the turn. If the clock was set back to before the last look, a
 * pause ends, and a turn that was taken on a later date does not count.
 */
async function takeTurn(
  database: Database,
): Promise<{ isOurs: boolean; heldUntil: Date | null; isNews: boolean }> {
  const taken = await database.query<{ is_ours: boolean; held_until: Date | null; is_news: boolean }>({
    text: `with last as (select *, clock_timestamp() as now from partition_upkeep for update),
                look as (
                  select last.*, now > seen_at + ${longestGapDays} * interval '1 day' as is_gap,
                         case when now > seen_at + ${longestGapDays} * interval '1 day'
                              then now + ${pauseDays} * interval '1 day'
                              when now > seen_at - ${toleratedHours} * interval '1 hour' and now < held_until
                              then held_until end as hold,
                         (now at time zone 'UTC')::date as today
                    from last)
           update partition_upkeep
              set seen_at = look.now, held_until = look.hold,
                  dropped_on = case when look.hold is null then look.today else look.dropped_on end
             from look
           returning look.hold is null and look.dropped_on is distinct from look.today as is_ours,
                     look.hold as held_until, look.is_gap as is_news`,
  })
  const row = taken.rows[0]
  if (!row) throw new Error('the table partition_upkeep is empty')
  return { isOurs: row.is_ours, heldUntil: row.held_until, isNews: row.is_news }
}
