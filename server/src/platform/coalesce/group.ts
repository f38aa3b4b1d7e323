/** A group of calls (a company), and what of it is in a batch. */
import type { Waiting } from './waiting-calls.ts'

export interface Group<Item, Result> {
  readonly name: string
  readonly waiting: Waiting<Item, Result>[]
  /** Calls that wait or are running. */
  size: number
  /** Whether its last batch found its rows locked. */
  isHeldUp: boolean
  /** Until then the group shares no batch, because it has broken one or found its rows locked. */
  apartUntilMs: number
}

/** The calls of one group in a batch. */
export interface Part<Item, Result> {
  readonly group: Group<Item, Result>
  readonly calls: Waiting<Item, Result>[]
}

export const isApart = ({ isHeldUp, apartUntilMs }: Pick<Group<never, never>, 'isHeldUp' | 'apartUntilMs'>) =>
  isHeldUp || apartUntilMs > performance.now()
