/**
 * Allows a number of events in ten minutes, for one caller and for all together. It bounds what strangers can cause. Each
 * node counts by itself, since it need not be exact.
 */
export type Allowed = 'yes' | 'yes_and_no_more' | 'no'

const windowMs = 600_000

export class WindowBudget {
  readonly #nowMs: () => number
  readonly #most: { readonly ofOne: number; readonly ofAll: number }
  #counts = new Map<string, number>()
  #all = 0
  #window = 0

  constructor(nowMs: () => number, most: { readonly ofOne: number; readonly ofAll: number }) {
    this.#nowMs = nowMs
    this.#most = most
  }

  take(who: string): Allowed {
    const window = Math.floor(this.#nowMs() / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts = new Map()
      this.#all = 0
    }
    const count = this.#counts.get(who) ?? 0
    if (count >= this.#most.ofOne || this.#all >= this.#most.ofAll) return 'no'
    this.#counts.set(who, count + 1)
    this.#all++
    return count + 1 === this.#most.ofOne || this.#all === this.#most.ofAll ? 'yes_and_no_more' : 'yes'
  }

  /** The seconds until everything is allowed again. */
  secondsLeft(): number {
    return Math.max(1, Math.ceil((windowMs - (this.#nowMs() % windowMs)) / 1000))
  }
}

/** The budget for refusals that are recorded. */
export const refusalBudget = { ofOne: 30, ofAll: 600 }
/** The budget for challenges of passkeys, each of which is a row; one for strangers, one for known browsers. */
export const challengeBudget = { ofOne: 300, ofAll: 6_000 }
