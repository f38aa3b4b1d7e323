/**
 * Calls of one person take turns. All changes wait for each other at the audit trail, each with a connection. If one
 * person makes a hundred changes, they wait here instead, and another person's change waits behind only two of them.
 * What people read shares the same few connections, so reads take turns too, among themselves.
 */
import { AppError, type Operation } from '@countersign/contract'
import { createTurns } from '../platform/turns.ts'
import { isChange } from './audit.ts'
import type { Actor } from './principal.ts'

/** More than one, since a call to a provider may take long; few, so that connections are left for others. */
export const maxAtOnce = 2
/** A page of the dashboard reads several things at once, and each is read quickly. */
export const maxReadsAtOnce = 4
/** For all people together, of changes and of reads each; one person may use half of it. */
export const maxWaiting = 200

export type TakePersonTurn = <Answer>(
  actor: Actor,
  operation: Pick<Operation, 'method' | 'isReading' | 'isLong'>,
  run: () => Promise<Answer>,
) => Promise<Answer>

/** The operator's token is not limited, since it belongs to the installation itself. */
export function createPersonTurns(): TakePersonTurn {
  const takeChangeTurn = createTurns({ maxAtOnce, maxWaiting, tooMany })
  const takeReadTurn = createTurns({ maxAtOnce: maxReadsAtOnce, maxWaiting })
  return (actor, operation, run) => {
    if (actor.kind !== 'person' || operation.isLong) return run()
    const takeTurn = isChange(operation) ? takeChangeTurn : takeReadTurn
    return takeTurn(actor.person.personId, run)
  }
}

const tooMany = () =>
  new AppError(
    'RateLimitExceededError',
    'Too many of your changes are waiting (scope person). Try again in a second.',
    {
      scope: 'person',
      retry_after: 1,
    },
  )
