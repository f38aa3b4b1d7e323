/**
 * The decisions of one schedule. A seed generates them as they are needed. A list of them can be replayed, and after
 * its end every decision is 0, which is always the harmless choice. So a shorter list is a simpler schedule.
 */
export class Tape {
  readonly decisions: number[] = []
  readonly #next: (place: number, weights: readonly number[]) => number

  private constructor(next: (place: number, weights: readonly number[]) => number) {
    this.#next = next
  }

  static ofSeed(seed: number): Tape {
    const random = randomOf(seed)
    return new Tape((_, weights) => {
      let left = random() * weights.reduce((sum, weight) => sum + weight, 0)
      const index = weights.findIndex((weight) => {
        left -= weight
        return left < 0
      })
      return Math.max(0, index)
    })
  }

  static of(decisions: readonly number[]): Tape {
    return new Tape((place, weights) => Math.min(decisions[place] ?? 0, weights.length - 1))
  }

  /** The index of one of the weights. */
  choose(weights: readonly number[]): number {
    if (weights.length <= 1) return 0
    const choice = this.#next(this.decisions.length, weights)
    this.decisions.push(choice)
    return choice
  }

  below(count: number): number {
    return this.choose(Array.from({ length: count }, () => 1))
  }
}

/** Numbers in [0, 1), the same for the same seed on every machine (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
