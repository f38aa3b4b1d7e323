/**
 * How many messages an account is given at once: one more for each that it takes as quickly as at its best while it is
 * kept busy, and half as many when it errs.
 */
const first = 50
const least = 2
const mostAtOnce = 500
/** An account that is this many times slower than at its best is not given more. */
const slower = 2
/** An account that is only this much slower is not slow, however quick its best was. */
const toleranceMs = 20
/** The best fades slowly, so that an account which stays slower is not compared with it for ever. */
const forgetting = 1.0001
const smoothing = 0.1
const shrinkEveryMs = 1_000
/** As many messages wait in memory for their turn as the account takes in this time. */
const aheadMs = 500
const mostAhead = 1_000
const assumedMs = 200

export class Window {
  #limit = first
  #latencyMs = assumedMs
  #bestMs = Number.POSITIVE_INFINITY
  #shrunkAtMs = Number.NEGATIVE_INFINITY

  get limit(): number {
    return this.#limit
  }

  /** How many messages may be in hand: those under way, and those that wait for their turn. */
  get mostInHand(): number {
    const ahead = Math.floor((this.#limit * aheadMs) / Math.max(this.#latencyMs, 1))
    return this.#limit + Math.min(Math.max(ahead, 1), mostAhead)
  }

  /** `wasFull` says that there was no room for one more message when this one was answered. */
  answered(latencyMs: number, wasFull: boolean): void {
    this.#latencyMs += (latencyMs - this.#latencyMs) * smoothing
    this.#bestMs = Math.min(latencyMs, this.#bestMs * forgetting)
    const isQuick = this.#latencyMs <= this.#bestMs * slower + toleranceMs
    if (wasFull && isQuick && this.#limit < mostAtOnce) this.#limit++
  }

  erred(nowMs: number): void {
    if (nowMs - this.#shrunkAtMs < shrinkEveryMs) return
    this.#shrunkAtMs = nowMs
    this.#limit = Math.max(least, Math.floor(this.#limit / 2))
  }
}
