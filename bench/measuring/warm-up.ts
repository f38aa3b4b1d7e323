/**
 * Code that runs for the first time is slow, and that is not what is measured. A new service is called in rounds until
 * they no longer get cheaper; how many calls that takes differs from machine to machine.
 */
import type { Costs } from './cpu.ts'
import type { Measured } from './load.ts'

export interface WarmUp {
  /** Calls in one round. */
  readonly roundOf: number
  readonly mostRounds: number
  readonly mostSeconds: number
}

/** The first rounds say little. */
const fewestRounds = 4
/** One round may be slow because the machine did something else meanwhile. */
const roundsWithoutSaving = 2
/** A round that saves less than this is taken for noise. */
const savesShare = 0.05

/** Resolves to the number of calls it took. */
export async function untilSteady(
  { mostRounds, mostSeconds }: WarmUp,
  round: () => Promise<{ readonly result: Measured; readonly costs: Costs }>,
): Promise<number> {
  const endMs = performance.now() + mostSeconds * 1_000
  let calls = 0
  let least = Number.POSITIVE_INFINITY
  let without = 0
  for (let rounds = 1; rounds <= mostRounds && performance.now() < endMs; rounds++) {
    const { result, costs } = await round()
    calls += result.count
    // A round's cost is its processor time, or its duration where that is not known.
    const each = costs.serviceUs ?? 1 / result.perSecond
    without = each > least * (1 - savesShare) ? without + 1 : 0
    least = Math.min(least, each)
    if (rounds >= fewestRounds && without >= roundsWithoutSaving) break
  }
  return calls
}
