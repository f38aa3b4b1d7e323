/** Takes away what is over, in small bites, never on a request. */
import { carryForward } from '../domain/billing/index.ts'
import { gatherFigures } from '../domain/insight/index.ts'
import { expireAudit } from '../domain/members/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Database, timeNow } from '../platform/database.ts'
import { dropOldPartitions } from '../platform/drop-partitions.ts'
import { type CompanyId, lowestId, newId } from '../platform/ids.ts'
import type { Keyring } from '../platform/keyring.ts'
import { describeError, type Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const everyMs = 60_000
const hourMs = 3_600_000
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
  'passkey_challenges',
  'spend_counters',
  'spend_notes',
  'guess_counts',
  'guess_alarms',
  'figures',
  'refusal_counts',
  'workers',
  'early_receipts',
] as const

export interface UpkeepDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly retentionDays: number
  readonly log: Log
}

export function startUpkeep(dependencies: UpkeepDependencies): Loop {
  const { database, keyring, log } = dependencies
  let hourlyAtMs = Number.NEGATIVE_INFINITY
  return startLoop({
    pollMs: everyMs,
    onError: (error) => log('warn', 'upkeep failed', describeError(error)),
    round: async (isClosing) => {
      /** One that fails keeps none of the others from being done. */
      const attempt = async (step: string, run: () => Promise<boolean>) =>
        !isClosing() &&
        run().catch((error: unknown) => {
          log('warn', 'a step of upkeep failed', { step, ...describeError(error) })
          return false
        })
      let hasMore = false
      for (const table of shortLived) {
        const isFull = async () => (await deleteExpired(database, table)) === bite
        hasMore = (await attempt(`deleting from ${table}`, isFull)) || hasMore
      }
      const isTrailFull = async () => (await expireAudit({ database, keyring })) >= bite
      hasMore = (await attempt('deleting from the audit trail', isTrailFull)) || hasMore
      // Before anything is dropped.
      if (await attempt('gathering figures', () => gatherFigures(database))) return true
      if (performance.now() - hourlyAtMs < hourMs) return hasMore
      hourlyAtMs = performance.now()
      await attempt('dropping partitions', () => dropOld(dependencies))
      await attempt('carrying ledgers forward', () => carryLedgers(dependencies, isClosing))
      return hasMore
    },
  })
}

async function dropOld({ database, retentionDays, log }: UpkeepDependencies): Promise<false> {
  const round = await dropOldPartitions(database, retentionDays)
  if (!round || (round.dropped.length === 0 && round.daysLeft === 0)) return false
  if (round.heldUntil) {
    log('warn', 'upkeep was away for days, or the clock jumped ahead: nothing is dropped for a day', {
      held_until: round.heldUntil.toISOString(),
      days_left: round.daysLeft,
    })
  } else {
    log('info', 'dropped what retention does not keep, at most three days of it a day', {
      partitions: round.dropped.map(({ name }) => name).join(' '),
      days_left: round.daysLeft,
    })
  }
  return false
}

/** Over all companies: what is expired is nobody's any more. */
export async function deleteExpired(database: Database, table: (typeof shortLived)[number]): Promise<number> {
  const deleted = await database.query({
    text: `delete from ${table} /* every company: upkeep */ where ctid = any(array(
             select ctid from ${table} where expires_at < ${timeNow} order by expires_at limit ${bite} for update skip locked))`,
  })
  return deleted.rowCount ?? 0
}

async function carryLedgers(
  { database, clock }: UpkeepDependencies,
  isClosing: () => boolean,
): Promise<false> {
  const found = await database.query<{ company_id: CompanyId }>({
    text: 'select company_id from companies /* every company: upkeep */ order by company_id',
  })
  for (const { company_id } of found.rows) {
    const oldestMs = clock.nowMs() - ledgerDays * dayMs
    const before = lowestId('entry', oldestMs)
    // Each round leaves one entry that sorts after `before`, so the rounds come to an end.
    let carried = bite
    while (carried === bite && !isClosing()) {
      const entries = { entryId: newId('entry', oldestMs), before, limit: bite }
      carried = await carryForward(database.of(company_id), entries)
    }
  }
  return false
}
