/**
 * Guesses that arrive together are judged together, whatever their companies: those that arrive while a statement runs
 * form the next batch, and a guess that finds none running goes at once. The answers are those that the guesses would
 * have had one by one, since guesses for one verification are judged one after the other.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Settled } from '../../../platform/coalesce/waiting-calls.ts'
import { coalesce } from '../../../platform/coalesce.ts'
import { type Database, unlessBroken } from '../../../platform/database.ts'
import type { GuardPart } from '../../../platform/guard-metrics.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { partitionOf } from '../../../platform/partitions.ts'
import type { Tracer } from '../../../platform/trace.ts'
import { createTurns } from '../../../platform/turns.ts'
import { type Guess, type GuessOutcome, judgeGuesses } from './store.ts'

export interface JudgeDependencies {
  readonly database: Database
  readonly clock: Clock
  /** Called if a part of the guard could not use its tables; the guesses were judged without it. */
  readonly countUnguarded: (error: unknown, part: GuardPart) => void
  readonly metrics: Pick<Metrics, 'observeBatch'>
  readonly tracer?: Tracer | null
}

/** Resolves with undefined for a verification that does not exist. */
export type Judge = (guess: Guess) => Promise<GuessOutcome | undefined>

const maxBatch = 200
/**
 * One batch for verifications of today, one for those of yesterday and one for all older ones. Two for one day would
 * only split its guesses, and a statement costs about the same for twenty as for ten.
 */
const maxRunning = 3
const maxWaiting = 10_000
/** How many guesses of one company are in batches at once, so that its flood does not hold up others. */
const maxOfCompany = 200

interface GuessInTable {
  readonly guess: Guess
  /** The partition that contains the guess's verification. */
  readonly table: string
}

export function createJudge({ database, clock, countUnguarded, metrics, tracer }: JudgeDependencies): Judge {
  const submit = coalesce<GuessInTable, GuessOutcome | undefined>(runBatch, {
    maxRunning,
    maxBatch,
    maxWaiting,
  })
  const ofVerification = createTurns({ maxAtOnce: 1, maxWaiting })
  const ofCompany = createTurns({ maxAtOnce: maxOfCompany, maxWaiting })

  async function runBatch(batch: readonly GuessInTable[]): Promise<Settled<GuessOutcome | undefined>[]> {
    const [first] = batch
    if (!first) return []
    const guesses = batch.map(({ guess }) => guess)
    const startedAtMs = performance.now()
    // Trouble with the guard's notes must not be the reason that a right code is refused.
    const outcomes = await unlessBroken(
      (isGuarded) => judgeGuesses(database, first.table, guesses, isGuarded),
      (error) => countUnguarded(error, 'guessing'),
    )
    const durationMs = performance.now() - startedAtMs
    metrics.observeBatch('verify', guesses.length, durationMs / 1_000)
    if (tracer)
      for (const { otpId } of guesses)
        tracer.record({
          subject: otpId,
          name: 'batch verify',
          kind: 'internal',
          durationMs,
          attributes: { 'countersign.batch_calls': guesses.length },
        })
    return guesses.map(({ otpId }) => ({ value: outcomes.get(otpId) }))
  }

  return (guess) => {
    const table = partitionOf('verifications', guess.otpId, clock.nowMs())
    return ofVerification(guess.otpId, () =>
      ofCompany(guess.companyId, () => submit(table, { guess, table })),
    )
  }
}
