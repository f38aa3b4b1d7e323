/** What the stores of figures have in common. */
import { type IdKind, lowestId } from '../../../platform/ids.ts'

/** SQL for what a message cost: its price, unless it failed and the price was returned. */
export const charged = `case when charge = 'returned' then 0 else price_micros end`

export interface FreshRange {
  readonly sinceMs: number
  /** Bounds the days that are looked at, not what is counted. */
  readonly untilMs: number
}

/** The ids that bound the range. */
export const boundsOf = (kind: IdKind, { sinceMs, untilMs }: FreshRange): [string, string] => [
  lowestId(kind, sinceMs),
  lowestId(kind, untilMs),
]
