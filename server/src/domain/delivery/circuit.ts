/** An account that keeps erring is left alone for a while, so that others of its channel are tried first. */
const failuresToOpen = 5
const openMs = 15_000

export class Circuits {
  readonly #failures = new Map<string, { count: number; openUntilMs: number }>()

  /** After the pause one attempt goes through again; its result decides. */
  isOpen(providerId: string, nowMs: number): boolean {
    return (this.#failures.get(providerId)?.openUntilMs ?? 0) > nowMs
  }

  succeeded(providerId: string): void {
    this.#failures.delete(providerId)
  }

  erred(providerId: string, nowMs: number, isBroken: boolean): void {
    const count = (this.#failures.get(providerId)?.count ?? 0) + 1
    const opens = isBroken || count >= failuresToOpen
    this.#failures.set(providerId, { count, openUntilMs: opens ? nowMs + openMs : 0 })
  }
}
