/** Deletes what has expired, a limited number of rows at a time, and never during a request. */
import { keptByAlerts } from '../domain/alerts/index.ts'
import { carryForward, keptByBilling } from '../domain/billing/index.ts'
import { keptByDelivery } from '../domain/delivery/index.ts'
import { keptByGuard } from '../domain/guard/index.ts'
import { doubtGuards, gatherFigures, keptByInsight } from '../domain/insight/index.ts'
import { eraseGone, keptByMembers } from '../domain/members/index.ts'
import { keptByRouting } from '../domain/routing/index.ts'
import { keptByTenancy, listCompanyIds } from '../domain/tenancy/index.ts'
import { keptByVerification } from '../domain/verification/index.ts'
import { keptByWebhooks } from '../domain/webhooks/index.ts'
import type { Clock } from '../platform/clock.ts'
import { dropOldPartitions } from '../platform/drop-partitions.ts'
import { lowestId, newId } from '../platform/ids.ts'
import { deleteExpired, type ExpiryDependencies, type Kept, rowsAtOnce } from '../platform/kept.ts'
import type { Log, Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { addDueSigningKey, dropOldSigningKeys } from '../platform/signing-keys.ts'

const everyMs = 60_000
/** How often to check whether the guard against pumping fits an app. Rarely, since the result is not urgent. */
const doubtEveryMs = 600_000
const hourMs = 3_600_000
const ledgerDays = 400
const dayMs = 86_400_000

/** Every table whose rows are kept only for a while. */
export const kept: readonly Kept[] = [
  ...keptByMembers,
  ...keptByAlerts,
  ...keptByInsight,
  ...keptByVerification,
  ...keptByDelivery,
  ...keptByWebhooks,
  ...keptByBilling,
  ...keptByRouting,
  ...keptByGuard,
  ...keptByTenancy,
]

export interface UpkeepDependencies extends ExpiryDependencies {
  readonly clock: Clock
  readonly retentionDays: number
  readonly log: Log
  readonly warn: Warn
}

export function startUpkeep(dependencies: UpkeepDependencies): Loop {
  const { database, warn } = dependencies
  let hourlyAtMs = Number.NEGATIVE_INFINITY
  let doubtedAtMs = Number.NEGATIVE_INFINITY
  return startLoop({
    pollMs: everyMs,
    onError: (error) => warn('upkeep failed', error),
    round: async (isClosing) => {
      /** Runs one step; a step that fails does not stop the others. */
      const attempt = async (step: string, run: () => Promise<boolean>) =>
        !isClosing() &&
        run().catch((error: unknown) => {
          warn('a step of upkeep failed', error, { step })
          return false
        })
      let hasMore = false
      for (const one of kept) {
        const isFull = async () => (await expire(dependencies, one)) >= rowsAtOnce
        hasMore = (await attempt(`deleting from ${one.table}`, isFull)) || hasMore
      }
      hasMore = (await attempt('erasing what is deleted', () => eraseGone(dependencies))) || hasMore
      if (performance.now() - doubtedAtMs >= doubtEveryMs) {
        doubtedAtMs = performance.now()
        await attempt('asking whether the guard fits', () => doubtFits(dependencies, isClosing))
      }
      // Nothing is dropped before its figures are gathered.
      if (await attempt('gathering figures', () => gatherFigures(database))) return true
      if (performance.now() - hourlyAtMs < hourMs) return hasMore
      hourlyAtMs = performance.now()
      await attempt('changing signing keys', () => changeSigningKeys(dependencies))
      await attempt('dropping partitions', () => dropOld(dependencies))
      await attempt('carrying ledgers forward', () => carryLedgers(dependencies, isClosing))
      return hasMore
    },
  })
}

async function doubtFits(
  { database, log, warn }: UpkeepDependencies,
  isClosing: () => boolean,
): Promise<false> {
  await doubtGuards({
    database,
    onMisfit: ({ appId }) =>
      log('warn', 'the guard against pumping does not fit: it held people, and learns again', {
        app_id: appId,
      }),
    onError: (error, { appId }) =>
      warn('an app was not asked whether its guard fits', error, { app_id: appId }),
    isClosing,
  })
  return false
}

async function changeSigningKeys(dependencies: UpkeepDependencies): Promise<false> {
  await addDueSigningKey(dependencies)
  await dropOldSigningKeys(dependencies)
  return false
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

async function expire(dependencies: UpkeepDependencies, { table, goes }: Kept): Promise<number> {
  if (goes === 'by row') return deleteExpired(dependencies.database, table)
  // Whole days are dropped separately, once an hour.
  return goes === 'by day' ? 0 : goes(dependencies)
}

async function carryLedgers(
  { database, clock }: UpkeepDependencies,
  isClosing: () => boolean,
): Promise<false> {
  for (const companyId of await listCompanyIds(database)) {
    const oldestMs = clock.nowMs() - ledgerDays * dayMs
    const before = lowestId('entry', oldestMs)
    // Each round leaves one entry that does not sort before `before`, so the rounds come to an end.
    let carried = rowsAtOnce
    while (carried === rowsAtOnce && !isClosing()) {
      const entries = { entryId: newId('entry', oldestMs), before, limit: rowsAtOnce }
      carried = await carryForward(database.of(companyId), entries)
    }
  }
  return false
}
