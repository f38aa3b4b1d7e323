/**
 * What this worker may hold by the table without having it in hand: of a claim or a commit whose answer never came. It
 * is looked for until a statement that was still under way then must have ended. Once a minute everything that it
 * holds is looked at, so that nothing is left lying for a reason that nobody has thought of.
 */
const lookEveryMs = 2_000
/** Longer than a statement may take and a lost connection may go unnoticed. */
const lookForMs = 60_000
/** How far this node's idea of the database's time may be off. */
const toleranceMs = 60_000
const lookAtAllEveryMs = 60_000

export class Strays {
  /** Since when something may be missing, by the database's clock. */
  #sinceMs: number | null = null
  #untilMs = Number.NEGATIVE_INFINITY
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #lookedAtAllMs = performance.now()

  /** Something that was begun at this time, by the database's clock, may have been done. */
  note(atMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs ?? atMs, atMs)
    this.#untilMs = performance.now() + lookForMs
  }

  /** If a claim that was begun at this time fails, nobody knows what this worker holds by it. */
  async ofClaim<Claimed>(atMs: number, claim: Promise<Claimed>): Promise<Claimed> {
    try {
      return await claim
    } catch (error) {
      this.note(atMs)
      throw error
    }
  }

  /** Since when to look, if it is time to; null where nothing is missing. */
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
