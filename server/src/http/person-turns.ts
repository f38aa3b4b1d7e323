/**
 * Changes of one person take turns. All changes wait for each other at the audit trail, each with a connection. If one
 * person makes a hundred changes, they wait here instead, and another person's change waits behind only two of them.
 */
import { AppError, type Operation } from '@countersign/contract'
import { createTurns } from '../platform/turns.ts'
import { isChange } from './audit.ts'
import type { Actor } from './principal.ts'

/** More than one, since a call to a provider may take long; few, so that connections are left for others. */
export const maxAtOnce = 2
/** For all people together; one person may use half of it. */
export const maxWaiting = 200

export type TakePersonTurn = <Answer>(
  actor: Actor,
  operation: Pick<Operation, 'method' | 'isReading'>,
  run: () => Promise<Answer>,
) => Promise<Answer>

/** The operator's token is not limited, since it belongs to the installation itself. */
export function createPersonTurns(): TakePersonTurn {
  const takeTurn = createTurns({ maxAtOnce, maxWaiting, tooMany })
  return (actor, operation, run) =>
    actor.kind === 'person' && isChange(operation) ? takeTurn(actor.person.personId, run) : run()
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
