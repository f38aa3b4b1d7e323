/** A change that takes an idempotency key: it is made once, and a repeat gets the first answer. */
import {
  changeOnce,
  findReplay,
  type KeyedChange,
  type Replay,
  type ReplayDependencies,
} from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'

/**
 * Makes the change with the database that it hands over, or gives what was answered before. What is no part of a
 * transaction, such as telling others, comes after it and bears being done again.
 */
export type Once = <Answer>(make: (database: Database) => Promise<Answer>) => Promise<Answer>

export interface OneChange {
  readonly once: Once
  /** Whether somebody else has made it: known before, or only once it was tried. */
  readonly isRepeat: () => boolean
}

/** Null for a change without a key, which is made each time. */
export async function startOnce(
  dependencies: ReplayDependencies,
  change: KeyedChange | null,
): Promise<OneChange> {
  if (!change) return { once: (make) => make(dependencies.database), isRepeat: () => false }
  let replay = await findReplay(dependencies, change)
  return {
    isRepeat: () => replay !== undefined,
    once: async (make) => {
      if (!replay) {
        const made = await changeOnce(dependencies, change, make)
        if ('answer' in made) return made.answer
        replay = made.replay
      }
      return answerIn(replay)
    },
  }
}

/** The same operation has made it, so it is of the same type. */
const answerIn = <Answer>({ answer }: Replay): Answer => answer as Answer
