/** How many sends were refused by which rule and where, and what they would have cost. */
import type { RefusalStatsAnswer } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { formatMicros } from '../billing/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { rangeOf, type StatsRequest } from './figures/read-stats.ts'
import {
  type RefusalCount,
  type RefusedPlace,
  readRefusalCounts,
  readRefusedPlaces,
} from './refusal-store.ts'

type Tally = Pick<RefusalCount, 'count' | 'priceMicros'>
const none: Tally = { count: 0, priceMicros: 0n }
const add = (left: Tally, right: Tally): Tally => ({
  count: left.count + right.count,
  priceMicros: left.priceMicros + right.priceMicros,
})
const tallyAnswer = ({ count, priceMicros }: Tally) => ({ count, price: formatMicros(priceMicros) })

export async function readRefusalStats(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  app: AppRef,
  request: Pick<StatsRequest, 'from' | 'to'> & { readonly by: 'hour' | 'day' },
): Promise<RefusalStatsAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  const range = rangeOf(request, clock.nowMs())
  const tenant = database.of(companyId)
  const [counts, places] = await Promise.all([
    readRefusalCounts(tenant, appId, range),
    readRefusedPlaces(tenant, appId, range),
  ])
  const rules = new Map<string, Tally>()
  for (const counted of counts) rules.set(counted.rule, add(rules.get(counted.rule) ?? none, counted))
  return {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    by: request.by,
    total: tallyAnswer(counts.reduce<Tally>(add, none)),
    rules: [...rules]
      .sort(([, left], [, right]) => right.count - left.count)
      .map(([rule, tally]) => ({ rule, ...tallyAnswer(tally) })),
    rows: counts.map(({ startsAt, rule, ...tally }) => ({
      starts_at: startsAt.toISOString(),
      rule,
      ...tallyAnswer(tally),
    })),
    places: places.map(placeOf),
  }
}

const placeOf = ({ rule, country, level, place, points }: RefusedPlace) => ({
  rule,
  country,
  level,
  place,
  ...tallyAnswer(points.reduce<Tally>(add, none)),
  points: points.map(({ startsAt, ...tally }) => ({
    starts_at: startsAt.toISOString(),
    ...tallyAnswer(tally),
  })),
})
