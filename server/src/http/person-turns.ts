/**
 * Changes of one person take turns. All changes wait for each other at the audit trail, each with a connection: if one
 * person makes a hundred, they wait here instead, and somebody else's change waits behind only two of them.
 */
import { AppError, type Operation } from '@countersign/contract'
import { createTurns } from '../platform/turns.ts'
import { isChange } from './audit.ts'
import type { Actor } from './principal.ts'

/** More than one, since a call to a provider may take long; few, so that connections are left. */
export const maxAtOnce = 2
/** For everybody together; one person may have half of them. */
export const maxWaiting = 200

export type TakePersonTurn = <Answer>(
  actor: Actor,
  operation: Pick<Operation, 'method' | 'isReading'>,
  run: () => Promise<Answer>,
) => Promise<Answer>

/** The operator's token is not bounded, since it is the installation's own. */
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
