/** Calls that wait for a batch, and how they get their outcome. */
import { AppError } from '@countersign/contract'
import { isContended } from '../database.ts'

export type Settled<Result> = { readonly value: Result } | { readonly error: unknown }

export interface Waiting<Item, Result> {
  readonly item: Item
  readonly sinceMs: number
  readonly settle: (outcome: Settled<Result>) => void
}

/**
 * After a batch that got no answer from the database for this long, calls that have waited as long for the next batch
 * fail with it. Otherwise they would wait through another batch just to fail.
 */
export const longWaitMs = 2_500

export const itemOf = <Item>({ item }: { readonly item: Item }): Item => item

/** Fails the calls that have waited for `waitMs`, and returns the others. */
export function withoutLate<Item, Result>(
  calls: readonly Waiting<Item, Result>[],
  waitMs: number,
  error: unknown,
): Waiting<Item, Result>[] {
  const oldestMs = performance.now() - waitMs
  for (const { sinceMs, settle } of calls) if (sinceMs <= oldestMs) settle({ error })
  return calls.filter(({ sinceMs }) => sinceMs > oldestMs)
}

export function settleAll<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  outcomes: readonly Settled<Result>[],
): void {
  batch.forEach(({ settle }, index) => {
    settle(outcomes[index] ?? { error: new Error('a batch lost an outcome') })
  })
}

/** The database cannot be used right now, so running the calls one by one would change nothing. */
export const isPassing = (error: unknown) =>
  error instanceof AppError && error.errorName === 'UnavailableError' && !isContended(error)
