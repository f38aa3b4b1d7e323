/** How many refusals are written down: strangers and scripts must not fill the trail. Each node counts by itself. */
export type Allowed = 'record' | 'record_last' | 'skip'

export const refusalWindowMs = 600_000
/** Of one person, token or address in a window. */
const maxOfOne = 30
const maxOfAll = 600

export class RefusalBudget {
  readonly #nowMs: () => number
  #counts = new Map<string, number>()
  #all = 0
  #windowMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  take(who: string): Allowed {
    const windowMs = Math.floor(this.#nowMs() / refusalWindowMs)
    if (windowMs !== this.#windowMs) {
      this.#windowMs = windowMs
      this.#counts = new Map()
      this.#all = 0
    }
    const count = this.#counts.get(who) ?? 0
    if (count >= maxOfOne || this.#all >= maxOfAll) return 'skip'
    this.#counts.set(who, count + 1)
    this.#all++
    return count + 1 === maxOfOne || this.#all === maxOfAll ? 'record_last' : 'record'
  }
}
