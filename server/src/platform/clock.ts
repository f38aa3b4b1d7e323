/** The database's time, as near as this node can know it without asking: for ids and signatures, never for decisions. */
export interface Clock {
  readonly nowMs: () => number
}

/** A clock is corrected by less than this all the time. A time further ahead was written by one that was wrong. */
export const correctedMs = 60_000

/** A reading behind by more than this means that the database's clock was set; by less, that it was handled late. */
const setMs = 2_000
/** The share by which this clock may run slower to correct itself, so that it never stands still for long. */
const slowdown = 0.1

export class DatabaseClock implements Clock {
  /** What to add to the steady time, which is not affected when this machine's clock is set. */
  #offsetMs: number
  #readAtMs: number
  /** The last answer. After a reading that came late, this clock stands still for a moment instead of going back. */
  #saidMs = Number.NEGATIVE_INFINITY
  readonly #steadyMs: () => number

  constructor(steadyMs = () => performance.now()) {
    this.#steadyMs = steadyMs
    this.#readAtMs = steadyMs()
    this.#offsetMs = Date.now() - this.#readAtMs
  }

  readonly nowMs = (): number => {
    this.#saidMs = Math.max(this.#saidMs, Math.round(this.#steadyMs() + this.#offsetMs))
    return this.#saidMs
  }

  /**
   * Called with each reading of the database's clock that a query brings along. A reading is always a little old, so a
   * reading ahead of this clock is nearer to the truth, and one behind it has mostly come late.
   */
  readonly calibrate = (databaseMs: number): void => {
    const atMs = this.#steadyMs()
    const measuredMs = databaseMs - atMs
    const behindMs = this.#offsetMs - measuredMs
    const givenUpMs = (atMs - this.#readAtMs) * slowdown
    if (behindMs > setMs) this.#saidMs = Number.NEGATIVE_INFINITY
    this.#offsetMs = behindMs > setMs ? measuredMs : Math.max(measuredMs, this.#offsetMs - givenUpMs)
    this.#readAtMs = atMs
  }
}
