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
 * Makes the change with the database that `make` is given, or returns the first answer. Slow work that changes nothing
 * goes into `prepare`, so that no connection is held meanwhile. Work outside the transaction, such as notifying others,
 * comes after `once` and must be repeatable.
 */
export type Once = <Answer, Prepared = undefined>(
  make: (database: Database, prepared: Prepared) => Promise<Answer>,
  prepare?: () => Promise<Prepared>,
) => Promise<Answer>

export interface OneChange extends AuditedChange {
  readonly once: Once
}

const withoutKey = { isRepeat: () => false, settleWith: () => {}, isSettled: () => false }

/** `change` is null for a call without a key, which acts each time. */
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
        if ('answer' in made) {
          isSettled = true
          return made.answer
        }
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

/** Without `prepare`, `Prepared` is undefined. */
const preparedBy = async <Prepared>(prepare: (() => Promise<Prepared>) | undefined): Promise<Prepared> =>
  (await prepare?.()) as Prepared

/** The stored answer is that of the same operation, so it has the same type. */
const answerIn = <Answer>({ answer }: Replay): Answer => answer as Answer
