/** Parts of the guard fail open: their tables must never be why a message is not sent or a code not accepted. */
import { asUnavailable, isContended, isRowInTheWay, isUnavailable } from '../../platform/database.ts'

export type GuardPart = 'pumping' | 'spend' | 'guessing'

class GuardFault extends Error {
  readonly part: GuardPart
  /** Not its cause: by that it would be taken for a database that cannot be used right now. */
  readonly reason: unknown

  constructor(part: GuardPart, reason: unknown) {
    super(`a part of the guard failed: ${part}`)
    this.part = part
    this.reason = reason
  }
}

/** A database that cannot be used right now is no fault of the guard's; a lock that is in its way is. */
export const faultOf =
  (part: GuardPart) =>
  (reason: unknown): never => {
    const told = asUnavailable(reason)
    throw isUnavailable(told) && !isContended(told) ? reason : new GuardFault(part, reason)
  }

/**
 * An error ends its transaction, so the whole of it starts again, without the part that failed. `isShared`: several
 * companies are in it. A row that somebody else has is the trouble of one of them, for which the others do not go
 * unguarded: each is to be run by itself.
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
