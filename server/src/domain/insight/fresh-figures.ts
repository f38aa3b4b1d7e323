/**
 * What came since figures were last gathered, counted one by one: by hour, channel and country at once, so that the
 * many questions of a page are answered from one count. A large count is kept for a moment, a small one never.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Tenant } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import { sumTallies, type Tally } from './figures.ts'
import { countFresh, type FiguresRequest, type FreshTally } from './figures-store.ts'

export type ReadFresh = (tenant: Tenant, appId: AppId, sinceMs: number) => Promise<readonly FreshTally[]>

const largeCount = 5_000
const keptMs = 5_000
const mostKept = 200

interface Count {
  readonly tallies: Promise<readonly FreshTally[]>
  /** Infinity while it is under way. */
  untilMs: number
}

export function keepFreshFigures(clock: Clock): ReadFresh {
  const counts = new Map<string, Count>()
  return (tenant, appId, sinceMs) => {
    for (const [key, { untilMs }] of counts) if (untilMs <= clock.nowMs()) counts.delete(key)
    const key = `${appId} ${sinceMs}`
    const kept = counts.get(key)
    if (kept) return kept.tallies
    const count: Count = { tallies: countFresh(tenant, appId, sinceMs), untilMs: Number.POSITIVE_INFINITY }
    const forget = () => {
      if (counts.get(key) === count) counts.delete(key)
    }
    counts.set(key, count)
    count.tallies.then((tallies) => {
      const size = tallies.reduce((sum, { tally }) => sum + tally.sends + tally.messages, 0)
      if (size < largeCount || counts.size > mostKept) forget()
      else count.untilMs = clock.nowMs() + keptMs
    }, forget)
    return count.tallies
  }
}

/** Those that are asked for, by what they are asked by. */
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
