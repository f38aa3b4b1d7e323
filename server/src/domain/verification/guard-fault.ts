/** Parts of the guard fail open: their tables must never be why a message is not sent or a code not accepted. */
export type GuardPart = 'pumping' | 'spend' | 'guessing'

class GuardFault extends Error {
  readonly part: GuardPart

  constructor(part: GuardPart, cause: unknown) {
    super(`a part of the guard failed: ${part}`, { cause })
    this.part = part
  }
}

export const faultOf =
  (part: GuardPart) =>
  (cause: unknown): never => {
    throw new GuardFault(part, cause)
  }

/** An error ends its transaction, so the whole of it starts again, without the part that failed. */
export async function withoutFaulty<Result>(
  parts: readonly GuardPart[],
  run: (parts: readonly GuardPart[]) => Promise<Result>,
  onFault: (cause: unknown, part: GuardPart) => void,
): Promise<Result> {
  return run(parts).catch((error: unknown) => {
    if (!(error instanceof GuardFault)) throw error
    onFault(error.cause, error.part)
    const sound = parts.filter((part) => part !== error.part)
    return withoutFaulty(sound, run, onFault)
  })
}
