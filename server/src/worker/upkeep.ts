/** Makes room ahead and takes away what is over, in small bites, never on a request. */
import { carryForward } from '../domain/billing/index.ts'
import { gatherFigures } from '../domain/insight/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Database, timeNow } from '../platform/database.ts'
import { type CompanyId, lowestId, newId } from '../platform/ids.ts'
import { describeError, type Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { dropOldPartitions, makePartitions } from '../platform/partitions.ts'

const everyMs = 60_000
const partitionsEveryMs = 3_600_000
const bite = 5_000
const ledgerDays = 400
const dayMs = 86_400_000

/** Each has an index on `expires_at`. */
const shortLived = [
  'idempotency_keys',
  'limits',
  'tokens',
  'links',
  'unreachable',
  'pumping_states',
  'pumping_people',
  'pumping_approvals',
  'invitations',
  'sessions',
  'sign_in_links',
  'audit_entries',
  'spend_counters',
  'spend_notes',
  'guess_counts',
  'guess_alarms',
  'figures',
  'workers',
  'early_receipts',
] as const

export interface UpkeepDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly retentionDays: number
  readonly log: Log
}

export function startUpkeep({ database, clock, retentionDays, log }: UpkeepDependencies): Loop {
  let partitionsAtMs = Number.NEGATIVE_INFINITY
  return startLoop({
    pollMs: everyMs,
    onError: (error) => log('warn', 'upkeep failed', describeError(error)),
    round: async () => {
      let hasMore = false
      for (const table of shortLived) hasMore = (await deleteExpired(database, table)) === bite || hasMore
      // Before anything is dropped; but a failure of it must not keep partitions from being made.
      const isBehind = await gatherFigures(database).catch((error: unknown) => {
        log('warn', 'gathering figures failed', describeError(error))
        return false
      })
      if (isBehind) return true
      if (performance.now() - partitionsAtMs < partitionsEveryMs) return hasMore
      await makePartitions(database)
      const dropped = await dropOldPartitions(database, retentionDays)
      if (dropped.length > 0)
        log('info', 'dropped what retention does not keep', { partitions: dropped.join(' ') })
      await carryLedgers(database, clock)
      partitionsAtMs = performance.now()
      return hasMore
    },
  })
}

/** Over all companies: what is expired is nobody's any more. */
export async function deleteExpired(database: Database, table: (typeof shortLived)[number]): Promise<number> {
  const deleted = await database.query({
    text: `delete from ${table} where ctid = any(array(
             select ctid from ${table} where expires_at < ${timeNow} order by expires_at limit ${bite} for update skip locked))`,
  })
  return deleted.rowCount ?? 0
}

async function carryLedgers(database: Database, clock: Clock): Promise<void> {
  const found = await database.query<{ company_id: CompanyId }>({
    text: 'select company_id from companies order by company_id',
  })
  for (const { company_id } of found.rows) {
    const oldestMs = clock.nowMs() - ledgerDays * dayMs
    const before = lowestId('entry', oldestMs)
    // Each round leaves one entry that sorts after `before`, so the rounds come to an end.
    let carried = bite
    while (carried === bite) {
      const entries = { entryId: newId('entry', oldestMs), before, limit: bite }
      carried = await carryForward(database, company_id, entries)
    }
  }
}
