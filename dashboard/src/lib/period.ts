/** A period as the service counts it: whole hours or days in UTC, including the current one. */
import { zoned } from './time-zone.ts'

export const periods = ['24h', '7d', '30d'] as const
export type Period = (typeof periods)[number]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const shapes = {
  '24h': { by: 'hour', stepMs: hourMs, count: 24 },
  '7d': { by: 'day', stepMs: dayMs, count: 7 },
  '30d': { by: 'day', stepMs: dayMs, count: 30 },
} as const

export const periodLabels: Readonly<Record<Period, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
}

export const lengthOf = (period: Period): number => shapes[period].stepMs * shapes[period].count

export interface Span {
  readonly by: 'hour' | 'day'
  readonly from: string
  /** The start of the period of the same length before, to compare with. */
  readonly before: string
  readonly keys: readonly string[]
}

export function spanOf(period: Period, now: number): Span {
  const { by, stepMs, count } = shapes[period]
  const last = Math.floor(now / stepMs) * stepMs
  const first = last - (count - 1) * stepMs
  return {
    by,
    from: new Date(first).toISOString(),
    before: new Date(first - count * stepMs).toISOString(),
    keys: Array.from({ length: count }, (_unused, index) => new Date(first + index * stepMs).toISOString()),
  }
}

const hourFormat = zoned({ hour: '2-digit', minute: '2-digit' })
/** Days are those of UTC, so they are named in UTC too. */
const inUtc = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (time: string) => format.format(new Date(time))
}
const dayFormat = inUtc({ day: 'numeric', month: 'short' })
const weekdayFormat = inUtc({ weekday: 'short', day: 'numeric', month: 'short' })
const dayAndHourFormat = zoned({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

export const axisLabel = (span: Span, key: string): string =>
  (span.by === 'hour' ? hourFormat : dayFormat)(key)
export const spanTitle = (span: Span, key: string): string =>
  (span.by === 'hour' ? dayAndHourFormat : weekdayFormat)(key)
