/**
 * Code that runs for the first time is slow, and is no part of what is measured. A new service is called until another
 * round costs it no less than the one before; how many calls that takes differs from machine to machine.
 */
import type { Costs } from './cpu.ts'
import type { Measured } from './load.ts'

export interface WarmUp {
  /** Calls of one round. */
  readonly roundOf: number
  readonly mostRounds: number
  readonly mostSeconds: number
}

/** Two are needed to compare, and the first ones say little. */
const fewestRounds = 3
/** A round that saves less than this is taken for noise. */
const savesShare = 0.05

/** Resolves with how many calls it took. */
export async function untilSteady(
  { mostRounds, mostSeconds }: WarmUp,
  round: () => Promise<{ readonly result: Measured; readonly costs: Costs }>,
): Promise<number> {
  const endMs = performance.now() + mostSeconds * 1_000
  let calls = 0
  let before = Number.POSITIVE_INFINITY
  for (let rounds = 1; rounds <= mostRounds && performance.now() < endMs; rounds++) {
    const { result, costs } = await round()
    calls += result.count
    // By the processor it takes; where that is not known, by the time.
    const each = costs.serviceUs ?? 1 / result.perSecond
    if (rounds >= fewestRounds && each > before * (1 - savesShare)) break
    before = each
  }
  return calls
}
