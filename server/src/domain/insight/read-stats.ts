/** An app's figures over a range of time: what has been gathered, and what came since. */
import type { StatsAnswer } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import { getApp, validationError } from '../tenancy/index.ts'
import { addTallies, figuresOf, noTally, type Tally } from './figures.ts'
import { countFresh, type FiguresRequest, type Grouping, readGathered } from './figures-store.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000
const defaultDays = 7
const mostDays = 400
const mostDaysByHour = 14

export interface StatsRequest {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly by: Grouping
  readonly channel: FiguresRequest['channel']
  readonly country: string | null
}

export async function readStats(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  appId: AppId,
  request: StatsRequest,
): Promise<StatsAnswer> {
  await getApp({ database }, appId)
  const { by, channel, country } = request
  const range = rangeOf(request, clock.nowMs())
  const wanted = { ...range, by, channel, country }
  const { gatheredToMs, tallies } = await readGathered(database, appId, wanted)
  const freshFromMs = Math.max(range.fromMs, gatheredToMs)
  const fresh =
    freshFromMs < range.toMs
      ? await countFresh(database, appId, { ...wanted, fromMs: freshFromMs })
      : new Map<string, Tally>()
  for (const [key, tally] of fresh) tallies.set(key, addTallies(tallies.get(key) ?? noTally, tally))
  return {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    by,
    total: figuresOf([...tallies.values()].reduce(addTallies, noTally)),
    rows: rowsOf(tallies, range, by).map(([key, tally]) => ({ key, ...figuresOf(tally) })),
  }
}

/** Whole hours, or whole days in UTC: what is gathered cannot be cut finer. */
function rangeOf({ from, to, by }: StatsRequest, nowMs: number): { fromMs: number; toMs: number } {
  const stepMs = by === 'day' ? dayMs : hourMs
  const endMs = to === undefined ? nowMs : Date.parse(to)
  const beginMs = from === undefined ? endMs - defaultDays * dayMs : Date.parse(from)
  if (beginMs >= endMs) throw validationError([{ path: 'from', message: 'must be before to' }])
  const fromMs = Math.floor(beginMs / stepMs) * stepMs
  const toMs = Math.ceil(endMs / stepMs) * stepMs
  const days = by === 'hour' ? mostDaysByHour : mostDays
  if (endMs - beginMs > days * dayMs) {
    const message = `must be at most ${days} days before to${by === 'hour' ? ' where rows are hours' : ''}`
    throw validationError([{ path: 'from', message }])
  }
  return { fromMs, toMs }
}

/** Of times every one, also without figures; of channels and countries those that have some, most sends first. */
function rowsOf(
  tallies: ReadonlyMap<string, Tally>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  by: Grouping,
): (readonly [string, Tally])[] {
  if (by === 'channel' || by === 'country') {
    return [...tallies].sort(
      ([leftKey, left], [rightKey, right]) => right.sends - left.sends || (leftKey < rightKey ? -1 : 1),
    )
  }
  const stepMs = by === 'day' ? dayMs : hourMs
  return Array.from({ length: Math.round((toMs - fromMs) / stepMs) }, (_, index) => {
    const key = new Date(fromMs + index * stepMs).toISOString()
    return [key, tallies.get(key) ?? noTally] as const
  })
}
