/** Measures how quickly calls were answered lately, and how many may be inside at once so that none takes too long. */

/** A measurement of this age counts half. */
const halfLifeMs = 2_000
/** There is no bound until calls take this share of the longest time on average: a burst is not an overload. */
const slowShare = 0.25

export class Pace {
  readonly #maxMs: number
  #inside = 0
  #seenAtMs = 0
  /** How many calls have left, over how much time, and the sum of the times that they were inside. */
  #left = 0
  #passedMs = 0
  #insideMs = 0

  constructor(maxMs: number) {
    this.#maxMs = maxMs
  }

  enter(nowMs: number): void {
    // Time in which no call was inside says nothing about how quickly calls leave.
    if (this.#inside++ === 0) this.#forget(nowMs)
  }

  leave(nowMs: number, insideMs: number): void {
    this.#inside--
    this.#passedMs += nowMs - this.#seenAtMs
    this.#left++
    this.#insideMs += insideMs
    this.#forget(nowMs)
  }

  /** As many calls as leave within the longest time; infinity while calls are quick or nothing is known. */
  mostInside(nowMs: number): number {
    const sinceLastMs = this.#inside > 0 ? nowMs - this.#seenAtMs : 0
    const isSlow = this.#left >= 1 && this.#insideMs / this.#left > this.#maxMs * slowShare
    // When calls have stopped leaving, how quick they were before no longer counts.
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
