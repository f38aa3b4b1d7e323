/** An account that keeps erring is left alone for a while, so that others of its channel are tried first. */
const failuresToOpen = 3
const openMs = 15_000

interface State {
  readonly failures: number
  readonly openUntilMs: number
}

export class Circuits {
  readonly #states = new Map<string, State>()

  isOpen(providerId: string, nowMs: number): boolean {
    return (this.#states.get(providerId)?.openUntilMs ?? 0) > nowMs
  }

  /** After the pause one attempt goes through, and while it is under way no other; its result decides. */
  begin(providerId: string, nowMs: number): void {
    const state = this.#states.get(providerId)
    if (!state || state.openUntilMs === 0) return
    this.#states.set(providerId, { ...state, openUntilMs: nowMs + openMs })
  }

  succeeded(providerId: string): void {
    this.#states.delete(providerId)
  }

  erred(providerId: string, nowMs: number, isBroken: boolean): void {
    const failures = (this.#states.get(providerId)?.failures ?? 0) + 1
    const opens = isBroken || failures >= failuresToOpen
    this.#states.set(providerId, { failures, openUntilMs: opens ? nowMs + openMs : 0 })
  }
}
