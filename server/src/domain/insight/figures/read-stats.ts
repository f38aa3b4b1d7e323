/** An app's figures over a range of time: what has been gathered, and what came since. */
import type { StatsAnswer } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import { assertForward, validationError } from '../../answers/index.ts'
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { addTallies, figuresOf, hoursKeptDays, noTally, type Tally } from './figures.ts'
import { type ReadFresh, sumFresh } from './fresh-figures.ts'
import { type FiguresRequest, type FreshTally, type Grouping, readGathered } from './store.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000
const stepsMs = { hour: hourMs, day: dayMs } as const
const defaultDays = 7
const mostDays = 400
/** The longest range by hour. By channel or country a longer range is read by whole days. */
const mostDaysByHour = 14

export interface StatsRequest {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly by: Grouping
  readonly channel: FiguresRequest['channel']
  readonly country: string | null
}

export async function readStats(
  {
    database,
    clock,
    readFresh,
  }: { readonly database: Database; readonly clock: Clock; readonly readFresh: ReadFresh<FreshTally> },
  app: AppRef,
  request: StatsRequest,
): Promise<StatsAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const { by, channel, country } = request
  const range = rangeOf(request, clock.nowMs())
  const wanted = { ...range, by, channel, country }
  const { gatheredToMs, tallies } = await readGathered(tenant, appId, wanted)
  const fresh = gatheredToMs < range.toMs ? await readFresh(tenant, appId, gatheredToMs) : []
  for (const [key, tally] of sumFresh(fresh, wanted))
    tallies.set(key, addTallies(tallies.get(key) ?? noTally, tally))
  return {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    by,
    total: figuresOf([...tallies.values()].reduce(addTallies, noTally)),
    rows: rowsOf(tallies, range, by).map(([key, tally]) => ({ key, ...figuresOf(tally) })),
  }
}

type Range = Pick<FiguresRequest, 'fromMs' | 'toMs' | 'span'>

/** The range in whole hours, or whole days in UTC, since figures are gathered by these. */
export function rangeOf({ from, to, by }: Pick<StatsRequest, 'from' | 'to' | 'by'>, nowMs: number): Range {
  const endMs = to === undefined ? nowMs : Date.parse(to)
  const beginMs = from === undefined ? endMs - defaultDays * dayMs : Date.parse(from)
  const refuse = (message: string) => validationError([{ path: 'from', message }])
  assertForward(beginMs, endMs)
  const days = (endMs - beginMs) / dayMs
  if (days > mostDays) throw refuse(`must be at most ${mostDays} days before to`)
  const hasHours = beginMs >= nowMs - (hoursKeptDays - 1) * dayMs
  if (by === 'hour' && days > mostDaysByHour)
    throw refuse(`must be at most ${mostDaysByHour} days before to where rows are hours`)
  if (by === 'hour' && !hasHours)
    throw refuse(`must be less than ${hoursKeptDays} days ago where rows are hours`)
  const isByHours = by === 'hour' || (by !== 'day' && days <= mostDaysByHour && hasHours)
  const span = isByHours ? 'hour' : 'day'
  const stepMs = stepsMs[span]
  return {
    fromMs: Math.floor(beginMs / stepMs) * stepMs,
    toMs: Math.ceil(endMs / stepMs) * stepMs,
    span,
  }
}

/** By time, every hour or day is listed, even an empty one; otherwise only what has figures, most sends first. */
function rowsOf(
  tallies: ReadonlyMap<string, Tally>,
  { fromMs, toMs, span }: Range,
  by: Grouping,
): (readonly [string, Tally])[] {
  if (by === 'channel' || by === 'country') {
    return [...tallies].sort(
      ([leftKey, left], [rightKey, right]) => right.sends - left.sends || (leftKey < rightKey ? -1 : 1),
    )
  }
  const stepMs = stepsMs[span]
  return Array.from({ length: Math.round((toMs - fromMs) / stepMs) }, (_, index) => {
    const key = new Date(fromMs + index * stepMs).toISOString()
    return [key, tallies.get(key) ?? noTally] as const
  })
}
