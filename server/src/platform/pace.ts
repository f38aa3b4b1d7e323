/** How quickly calls have gone through lately, and how many may be inside at once so that none takes too long. */

/** What was seen this long ago counts half. */
const halfLifeMs = 2_000
/** Nothing is bounded before calls take this share of the longest time: a burst is no overload. */
const slowShare = 0.25

export class Pace {
  readonly #maxMs: number
  #inside = 0
  #seenAtMs = 0
  /** Calls that have left, the time in which they did so, and the time that they were inside, all together. */
  #left = 0
  #passedMs = 0
  #insideMs = 0

  constructor(maxMs: number) {
    this.#maxMs = maxMs
  }

  enter(nowMs: number): void {
    // Time in which nobody was inside says nothing about how quickly calls leave.
    if (this.#inside++ === 0) this.#forget(nowMs)
  }

  leave(nowMs: number, insideMs: number): void {
    this.#inside--
    this.#passedMs += nowMs - this.#seenAtMs
    this.#left++
    this.#insideMs += insideMs
    this.#forget(nowMs)
  }

  /** As many as leave within the longest time; without a bound while they are quick, or where nothing is known. */
  mostInside(nowMs: number): number {
    const sinceLastMs = this.#inside > 0 ? nowMs - this.#seenAtMs : 0
    const isSlow = this.#left >= 1 && this.#insideMs / this.#left > this.#maxMs * slowShare
    // When calls have stopped leaving, how quick they were before says nothing.
    if (!isSlow && sinceLastMs <= this.#maxMs) return Number.POSITIVE_INFINITY
    return (this.#left / (this.#passedMs + sinceLastMs)) * this.#maxMs
  }

  #forget(nowMs: number): void {
    const share = 0.5 ** ((nowMs - this.#seenAtMs) / halfLifeMs)
    this.#seenAtMs = nowMs
    this.#left *= share
    this.#passedMs *= share
    this.#insideMs *= share
  }
}
