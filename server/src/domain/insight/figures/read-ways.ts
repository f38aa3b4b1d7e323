/** How verifications went: by the channel that they began on, by the account that carried them, or by their error. */
import type { WaysAnswer } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import { formatMicros } from '../../billing/index.ts'
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { readAccountNames } from '../account-name-store.ts'
import { costEach } from './figures.ts'
import type { ReadFresh } from './fresh-figures.ts'
import { rangeOf } from './read-stats.ts'
import { type FreshWay, readGatheredWays, type Way, type WayGrouping } from './ways-store.ts'

export async function readWays(
  {
    database,
    clock,
    readFreshWays,
  }: { readonly database: Database; readonly clock: Clock; readonly readFreshWays: ReadFresh<FreshWay> },
  app: AppRef,
  request: { readonly from: string | undefined; readonly to: string | undefined; readonly by: WayGrouping },
): Promise<WaysAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const { by } = request
  const range = rangeOf({ ...request, by: 'channel' }, clock.nowMs())
  const { gatheredToMs, ways } = await readGatheredWays(tenant, appId, { ...range, by })
  const { fromMs, toMs } = range
  const fresh = gatheredToMs < toMs ? await readFreshWays(tenant, appId, gatheredToMs) : []
  const meant = fresh.filter((way) => way.by === by && way.hourMs >= fromMs && way.hourMs < toMs)
  const summed = sumWays([...ways, ...meant])
  const ids = summed.map(({ key }) => key)
  const names = by === 'provider' ? await readAccountNames(database, companyId, ids) : new Map()
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    by,
    rows: summed.map(({ costMicros, ...way }) => ({
      ...way,
      name: names.get(way.key) ?? null,
      conversion: way.sends === 0 ? null : way.approvals / way.sends,
      cost: formatMicros(costMicros),
      cost_per_approval: costEach(costMicros, way.approvals),
    })),
  }
}

/** One row for each key, most sends first. */
function sumWays(ways: readonly Way[]): Way[] {
  const sums = new Map<string, Way>()
  for (const { key, sends, messages, delivered, failed, approvals, costMicros } of ways) {
    const sum = sums.get(key)
    sums.set(key, {
      key,
      sends: sends + (sum?.sends ?? 0),
      messages: messages + (sum?.messages ?? 0),
      delivered: delivered + (sum?.delivered ?? 0),
      failed: failed + (sum?.failed ?? 0),
      approvals: approvals + (sum?.approvals ?? 0),
      costMicros: costMicros + (sum?.costMicros ?? 0n),
    })
  }
  return [...sums.values()].sort((one, other) => other.sends - one.sends || (one.key < other.key ? -1 : 1))
}
