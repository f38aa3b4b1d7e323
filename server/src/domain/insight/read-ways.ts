/** How verifications went by the channel that they began on, by the account that carried them, by what went wrong. */
import type { WaysAnswer } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { formatMicros } from '../billing/index.ts'
import { namesOfProviders } from '../routing/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { costEach } from './figures.ts'
import { rangeOf } from './read-stats.ts'
import { mostMessages, readWays as read, type WayGrouping } from './ways-store.ts'

export async function readWays(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  app: AppRef,
  request: { readonly from: string | undefined; readonly to: string | undefined; readonly by: WayGrouping },
): Promise<WaysAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const { fromMs, toMs } = rangeOf({ ...request, by: 'channel' }, clock.nowMs())
  const { by } = request
  const { ways, looked } = await read(tenant, appId, { fromMs, toMs, by })
  const names = by === 'provider' ? await namesOfProviders(tenant) : new Map()
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    by,
    is_complete: looked < mostMessages,
    rows: ways.map(({ costMicros, ...way }) => ({
      ...way,
      provider: names.get(way.key) ?? null,
      conversion: way.sends === 0 ? null : way.approvals / way.sends,
      cost: formatMicros(costMicros),
      cost_per_approval: costEach(costMicros, way.approvals),
    })),
  }
}
