/** An account that keeps erring is left alone for a while, so that others of its channel are tried first. */
const failuresToOpen = 3
const openMs = 15_000
/** Every message would say of a broken account that it is; it is told again after this. */
const tellAgainMs = 60_000
/** Of more accounts than this, those that have been silent longest are forgotten, as are all that were removed. */
const mostKnown = 10_000

interface State {
  readonly failures: number
  readonly openUntilMs: number
  /** When it last answered as it should. */
  readonly answeredAtMs: number
  /** Until then it rests whatever it takes: what it said later of messages that it had taken was that it cannot. */
  readonly restsUntilMs: number
  /** When it was last told that it is broken. */
  readonly toldAtMs: number
}
const fresh: State = {
  failures: 0,
  openUntilMs: 0,
  restsUntilMs: 0,
  answeredAtMs: Number.NEGATIVE_INFINITY,
  toldAtMs: Number.NEGATIVE_INFINITY,
}

export class Circuits {
  readonly #states = new Map<string, State>()

  isOpen(providerId: string, nowMs: number): boolean {
    const leftMs = (this.#states.get(providerId)?.openUntilMs ?? 0) - nowMs
    // More is left only where the clock was set back.
    return leftMs > 0 && leftMs <= openMs
  }

  /** Whether it is worth telling that this account is broken; whoever asks tells it. */
  isNews(providerId: string, nowMs: number): boolean {
    const state = this.#states.get(providerId) ?? fresh
    if (Math.abs(nowMs - state.toldAtMs) < tellAgainMs) return false
    this.#set(providerId, { ...state, toldAtMs: nowMs })
    return true
  }

  /** After the pause one attempt goes through, and while it is under way no other; its result decides. */
  begin(providerId: string, nowMs: number): void {
    const state = this.#states.get(providerId)
    if (!state || state.openUntilMs === 0) return
    this.#set(providerId, { ...state, openUntilMs: nowMs + openMs })
  }

  succeeded(providerId: string, nowMs: number): void {
    const { openUntilMs, restsUntilMs, toldAtMs } = this.#states.get(providerId) ?? fresh
    const rest = restsUntilMs > nowMs ? { openUntilMs, restsUntilMs } : {}
    this.#set(providerId, { ...fresh, ...rest, toldAtMs, answeredAtMs: nowMs })
  }

  erred(providerId: string, nowMs: number, isBroken: boolean): void {
    const state = this.#states.get(providerId) ?? fresh
    const failures = state.failures + 1
    const opens = isBroken || failures >= failuresToOpen || state.openUntilMs > nowMs
    this.#set(providerId, { ...state, failures, openUntilMs: opens ? nowMs + openMs : 0 })
  }

  /** By a receipt, so messages that it takes meanwhile say nothing for it. */
  blamed(providerId: string, nowMs: number, isBroken: boolean): void {
    this.erred(providerId, nowMs, isBroken)
    const state = this.#states.get(providerId) ?? fresh
    this.#set(providerId, { ...state, restsUntilMs: state.openUntilMs })
  }

  /** It may hang, and what is handed to one that hangs is lost. One answer to anything it was asked since is enough. */
  keptWaiting(providerId: string, sinceMs: number, nowMs: number): void {
    const state = this.#states.get(providerId) ?? fresh
    if (state.answeredAtMs < sinceMs) this.#set(providerId, { ...state, openUntilMs: nowMs + openMs })
  }

  #set(providerId: string, state: State): void {
    this.#states.delete(providerId)
    this.#states.set(providerId, state)
    if (this.#states.size <= mostKnown) return
    const [oldest] = this.#states.keys()
    if (oldest !== undefined) this.#states.delete(oldest)
  }
}
