/** A step of a start that a busy database has not answered in time is repeated, as the error itself advises. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from './database.ts'

const patienceMs = 30_000
const pauseMs = 500

export interface Waiting {
  /** Called before each repetition, with words for people. */
  readonly progress: (line: string) => void
  readonly signal: AbortSignal
}

/** Anything but a timeout fails at once: a full disk or a wrong password stays as it is. */
const isTimeout = (error: unknown) =>
  isUnavailable(error) && error.cause instanceof Error && /timeout/i.test(error.cause.message)

export async function untilAnswered<Result>(
  step: () => Promise<Result>,
  { progress, signal }: Waiting,
): Promise<Result> {
  const givesUpMs = performance.now() + patienceMs
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isTimeout(error) || performance.now() > givesUpMs) throw error
      progress('the database has not answered in time; trying again')
      await sleep(pauseMs, undefined, { signal })
    }
  }
}
