/** An account that keeps erring is left alone for a while, so that others of its channel are tried first. */
import { setNewest } from '../../platform/set-newest.ts'

const failuresToOpen = 3
const openMs = 15_000
/** A broken account is logged again after this time, not for every message. */
const tellAgainMs = 60_000
/** Beyond this many accounts, those that were silent longest are forgotten; most of them were removed. */
const mostKnown = 10_000

interface State {
  readonly failures: number
  readonly openUntilMs: number
  /** When the account last answered as it should. */
  readonly answeredAtMs: number
  /** Until then the account is not used, even if it takes messages: its receipts said that it cannot deliver them. */
  readonly restsUntilMs: number
  /** When the account was last logged as broken. */
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
    // More time can be left only if the clock was set back.
    return leftMs > 0 && leftMs <= openMs
  }

  /** Returns whether the caller should log that this account is broken. */
  isNews(providerId: string, nowMs: number): boolean {
    const state = this.#states.get(providerId) ?? fresh
    if (Math.abs(nowMs - state.toldAtMs) < tellAgainMs) return false
    this.#set(providerId, { ...state, toldAtMs: nowMs })
    return true
  }

  /** After the pause one attempt goes through, and no other while it is under way; its result decides. */
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

  /** Records an error that a receipt reports: messages that the account takes meanwhile do not close the circuit. */
  blamed(providerId: string, nowMs: number, isBroken: boolean): void {
    this.erred(providerId, nowMs, isBroken)
    const state = this.#states.get(providerId) ?? fresh
    this.#set(providerId, { ...state, restsUntilMs: state.openUntilMs })
  }

  /** Records that an account does not answer: it may hang, and lose what it is given, unless it has answered since. */
  keptWaiting(providerId: string, sinceMs: number, nowMs: number): void {
    const state = this.#states.get(providerId) ?? fresh
    if (state.answeredAtMs < sinceMs) this.#set(providerId, { ...state, openUntilMs: nowMs + openMs })
  }

  #set(providerId: string, state: State): void {
    setNewest(this.#states, providerId, state, mostKnown)
  }
}
