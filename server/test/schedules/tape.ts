import { randomOf } from '../harness/random.ts'

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
