/** Parts of the guard fail open: their tables must never be why a message is not sent or a code is not accepted. */
import { asUnavailable, isContended, isRowInTheWay, isUnavailable } from '../../platform/database.ts'
import type { GuardPart } from '../../platform/guard-metrics.ts'

class GuardFault extends Error {
  readonly part: GuardPart
  /** Not stored as the error's `cause`, which would make it count as an unavailable database. */
  readonly reason: unknown

  constructor(part: GuardPart, reason: unknown) {
    super(`a part of the guard failed: ${part}`)
    this.part = part
    this.reason = reason
  }
}

/** An unavailable database is not a fault of the guard; a lock that the guard ran into is. */
export const faultOf =
  (part: GuardPart) =>
  (reason: unknown): never => {
    const told = asUnavailable(reason)
    throw isUnavailable(told) && !isContended(told) ? reason : new GuardFault(part, reason)
  }

/**
 * An error ends the transaction, so all of it is run again without the part that failed. `isShared`: the transaction
 * has several companies. If one of them ran into a locked row, the others must not go unguarded because of it: the
 * error is thrown, and each company is run by itself.
 */
export async function withoutFaulty<Result>(
  parts: readonly GuardPart[],
  run: (parts: readonly GuardPart[]) => Promise<Result>,
  { isShared, onFault }: { isShared: boolean; onFault: (reason: unknown, part: GuardPart) => void },
): Promise<Result> {
  return run(parts).catch((error: unknown) => {
    if (!(error instanceof GuardFault) || (isShared && isRowInTheWay(error.reason))) throw error
    onFault(error.reason, error.part)
    const sound = parts.filter((part) => part !== error.part)
    return withoutFaulty(sound, run, { isShared, onFault })
  })
}
