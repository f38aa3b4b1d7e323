/**
 * What came since figures were last gathered, counted row by row: by hour, channel and country at once, so that the many
 * queries of a page share one count. A large count is kept for a moment, a small one never.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Tenant } from '../../../platform/database.ts'
import type { AppId } from '../../../platform/ids.ts'
import { sumTallies, type Tally } from './figures.ts'
import type { FreshRange } from './fresh-range.ts'
import { countFresh, type FiguresRequest, type FreshTally } from './store.ts'
import { countFreshWays, type FreshWay } from './ways-store.ts'

export type ReadFresh<Counted> = (
  tenant: Tenant,
  appId: AppId,
  sinceMs: number,
) => Promise<readonly Counted[]>

const largeCount = 5_000
const keptMs = 5_000
const mostKept = 200
/** No row is made later than this, so the days ahead need not be read. */
const aheadMs = 3_600_000

interface Count<Counted> {
  readonly counted: Promise<readonly Counted[]>
  /** Infinity while the count is under way. */
  untilMs: number
}

export const keepFreshFigures = (clock: Clock): ReadFresh<FreshTally> =>
  keepCounts(clock, countFresh, ({ tally }) => tally.sends + tally.messages)

export const keepFreshWays = (clock: Clock): ReadFresh<FreshWay> =>
  keepCounts(clock, countFreshWays, ({ sends, messages }) => sends + messages)

function keepCounts<Counted>(
  clock: Clock,
  count: (tenant: Tenant, appId: AppId, range: FreshRange) => Promise<readonly Counted[]>,
  sizeOf: (one: Counted) => number,
): ReadFresh<Counted> {
  const counts = new Map<string, Count<Counted>>()
  return (tenant, appId, sinceMs) => {
    const nowMs = clock.nowMs()
    for (const [key, { untilMs }] of counts) if (untilMs <= nowMs) counts.delete(key)
    const key = `${appId} ${sinceMs}`
    const kept = counts.get(key)
    if (kept) return kept.counted
    const counted = count(tenant, appId, { sinceMs, untilMs: nowMs + aheadMs })
    const entry: Count<Counted> = { counted, untilMs: Number.POSITIVE_INFINITY }
    const forget = () => {
      if (counts.get(key) === entry) counts.delete(key)
    }
    counts.set(key, entry)
    counted.then((all) => {
      const size = all.reduce((sum, one) => sum + sizeOf(one), 0)
      if (size < largeCount || counts.size > mostKept) forget()
      else entry.untilMs = clock.nowMs() + keptMs
    }, forget)
    return counted
  }
}

/** Sums the counts that a request asks for, grouped as it asks. */
export function sumFresh(
  fresh: readonly FreshTally[],
  { fromMs, toMs, span, by, channel, country }: FiguresRequest,
): Map<string, Tally> {
  const groups = new Map<string, Tally[]>()
  for (const one of fresh) {
    if (one.hourMs < fromMs || one.hourMs >= toMs) continue
    if ((channel !== null && one.channel !== channel) || (country !== null && one.country !== country))
      continue
    const key = by === 'channel' ? one.channel : by === 'country' ? one.country : startOf(one.hourMs, span)
    const group = groups.get(key)
    if (group) group.push(one.tally)
    else groups.set(key, [one.tally])
  }
  return new Map([...groups].map(([key, tallies]) => [key, sumTallies(tallies)]))
}

const spanMs = { hour: 3_600_000, day: 86_400_000 } as const
const startOf = (timeMs: number, span: FiguresRequest['span']) =>
  new Date(Math.floor(timeMs / spanMs[span]) * spanMs[span]).toISOString()
