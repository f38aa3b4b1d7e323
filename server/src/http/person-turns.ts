/**
 * Changes of one person take turns. On the audit trail everybody's wait for each other, each with a connection: a
 * hundred of one person's wait here instead, and the next one’s change stands behind two of them.
 */
import { AppError, type Operation } from '@countersign/contract'
import { createTurns } from '../platform/turns.ts'
import { isChange } from './audit.ts'
import type { Actor } from './principal.ts'

/** More than one, since a call to a provider may take its time; few, so that connections are left. */
export const maxAtOnce = 2
/** Of everybody together; of one person half of them. */
export const maxWaiting = 200

export type TakePersonTurn = <Answer>(
  actor: Actor,
  operation: Pick<Operation, 'method' | 'isReading'>,
  run: () => Promise<Answer>,
) => Promise<Answer>

/** Whoever has the operator's token is not bounded: it is the installation's own. */
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
