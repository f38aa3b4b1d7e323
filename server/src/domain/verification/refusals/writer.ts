/** Writes what was noted, one statement at a time, so that no row is written by two at once. */
import { AppError } from '@countersign/contract'
import type { Database } from '../../../platform/database.ts'
import { oneAtATime } from '../../../platform/one-at-a-time.ts'
import type { Noted, RefusalNotes } from './notes.ts'
import { writeRefusals } from './store.ts'

/** The most rows that one statement writes. */
const refusalsAtOnce = 500

export interface RefusalWriterDependencies {
  readonly database: Database
  readonly notes: RefusalNotes
  /** Called for refusals that the database would not take and that are given up. */
  readonly onLost: (error: unknown, count: number) => void
}

/** Each call writes all that was noted before it. */
export const createRefusalWriter = (dependencies: RefusalWriterDependencies): (() => Promise<void>) =>
  oneAtATime(async () => {
    const { notes } = dependencies
    for (let taken = notes.take(refusalsAtOnce); taken.length > 0; taken = notes.take(refusalsAtOnce)) {
      await writeSome(dependencies, taken)
      notes.settle(taken)
      if (taken.length < refusalsAtOnce) break
    }
    notes.tidy()
  })

/** A row that the database refuses must not keep the others from being written. */
async function writeSome(
  { database, onLost }: RefusalWriterDependencies,
  taken: readonly Noted[],
): Promise<void> {
  try {
    await writeRefusals(database, taken)
  } catch (error) {
    if (error instanceof AppError) throw error
    for (const one of taken) {
      await writeRefusals(database, [one]).catch((cause: unknown) => {
        if (cause instanceof AppError) throw cause
        onLost(cause, one.count)
      })
    }
  }
}
