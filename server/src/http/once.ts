/** A change that takes an idempotency key: it is made once, and a repeat gets the first answer. */
import {
  changeOnce,
  findReplay,
  type KeyedChange,
  type Replay,
  type ReplayDependencies,
} from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'
import type { AuditedChange } from './audit.ts'

/**
 * Makes the change with the database that it hands over, or gives what was answered before. What takes long and changes
 * nothing is prepared before, so that no connection waits for it; what is no part of a transaction, such as telling
 * others, comes afterwards and bears being done again.
 */
export type Once = <Answer, Prepared = undefined>(
  make: (database: Database, prepared: Prepared) => Promise<Answer>,
  prepare?: () => Promise<Prepared>,
) => Promise<Answer>

export interface OneChange extends AuditedChange {
  readonly once: Once
}

const withoutKey = { isRepeat: () => false, settleWith: () => {}, isSettled: () => false }

/** Null for a change without a key, which is made each time. */
export async function startOnce(
  dependencies: ReplayDependencies,
  change: KeyedChange | null,
): Promise<OneChange> {
  if (!change) return { ...withoutKey, once: eachTime(dependencies.database) }
  let replay = await findReplay(dependencies, change)
  let settle: Parameters<AuditedChange['settleWith']>[0] = async () => {}
  let isSettled = false
  return {
    isRepeat: () => replay !== undefined,
    settleWith: (given) => {
      settle = given
    },
    isSettled: () => isSettled,
    once: async (make, prepare) => {
      if (!replay) {
        const prepared = await preparedBy(prepare)
        const made = await changeOnce(dependencies, change, (database) => make(database, prepared), settle)
        isSettled = 'answer' in made
        if ('answer' in made) return made.answer
        replay = made.replay
      }
      return answerIn(replay)
    },
  }
}

const eachTime =
  (database: Database): Once =>
  async (make, prepare) =>
    make(database, await preparedBy(prepare))

/** Without a function there is nothing to prepare, and nothing is expected. */
const preparedBy = async <Prepared>(prepare: (() => Promise<Prepared>) | undefined): Promise<Prepared> =>
  (await prepare?.()) as Prepared

/** The same operation has made it, so it is of the same type. */
const answerIn = <Answer>({ answer }: Replay): Answer => answer as Answer
