/**
 * Deliveries that this worker holds according to the table but does not have in hand, because the answer to a claim or
 * a commit never came. They are searched for until any statement of that time must have ended. Once a minute everything
 * that the worker holds is checked, in case a delivery is left behind for an unforeseen reason.
 */
const lookEveryMs = 2_000
/** Longer than a statement may take, and than a lost connection may go unnoticed. */
const lookForMs = 60_000
/** How far this node's estimate of the database's time may be off. */
const toleranceMs = 60_000
const lookAtAllEveryMs = 60_000

export class Strays {
  /** Since when deliveries may be missing, by the database's clock. */
  #sinceMs: number | null = null
  #untilMs = Number.NEGATIVE_INFINITY
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #lookedAtAllMs = performance.now()

  /** A claim or commit that began at this time, by the database's clock, may have succeeded without an answer. */
  note(atMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs ?? atMs, atMs)
    this.#untilMs = performance.now() + lookForMs
  }

  /** A claim that fails may still have gone through, so what it took is searched for from then on. */
  async watchClaim<Claimed>(atMs: number, claim: Promise<Claimed>): Promise<Claimed> {
    try {
      return await claim
    } catch (error) {
      this.note(atMs)
      throw error
    }
  }

  /** The time from which on to search; null when a search is not due, or nothing is missing. */
  due(nowMs: number): number | null {
    if (nowMs - this.#lookedAtAllMs >= lookAtAllEveryMs) {
      this.#lookedAtAllMs = nowMs
      return 0
    }
    if (this.#sinceMs === null || nowMs - this.#lookedAtMs < lookEveryMs) return null
    const sinceMs = this.#sinceMs - toleranceMs
    this.#lookedAtMs = nowMs
    if (nowMs >= this.#untilMs) this.#sinceMs = null
    return sinceMs
  }
}
