/** What a place owed, step by step: the service leaves out steps in which it owed nothing. */
import type { DebtsAnswer } from '@countersign/contract'

export type PlaceDebt = DebtsAnswer['places'][number]
export type DebtPoint = PlaceDebt['points'][number]

export const debtPeriods = { '3h': '3 hours', '24h': '24 hours', '7d': '7 days' } as const
export type DebtPeriod = keyof typeof debtPeriods

const hourMs = 3_600_000
const lengthsMs: Readonly<Record<DebtPeriod, number>> = {
  '3h': 3 * hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
}

/** Rounded to whole minutes, so that for a minute the query stays the same and its cached answer is used. */
export const beginningOf = (period: DebtPeriod, nowMs: number): string =>
  new Date(Math.floor(nowMs / 60_000) * 60_000 - lengthsMs[period]).toISOString()

export function stepsOf({ from, to, step_s }: Pick<DebtsAnswer, 'from' | 'to' | 'step_s'>): string[] {
  const stepMs = step_s * 1_000
  const count = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / stepMs))
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(from) + index * stepMs).toISOString(),
  )
}

export function pointsByStep({ points }: PlaceDebt): (key: string) => DebtPoint | undefined {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]))
  return (key) => byTime.get(Date.parse(key))
}

export const placeKey = ({ level, place }: Pick<PlaceDebt, 'level' | 'place'>) => `${level} ${place}`
