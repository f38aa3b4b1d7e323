/** Random numbers from a seed: the same seed makes the same cases, so that a failing one can be repeated. */
import { randomOf } from '../harness/random.ts'

export class Random {
  /** At least 0 and less than 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = randomOf(seed)
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0]
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** Corrupts bytes: some are changed, dropped or doubled, or the end is cut off. */
  mutate(bytes: Buffer): Buffer {
    const copy = [...bytes]
    for (let times = this.below(4); times >= 0; times--) {
      const at = this.below(copy.length + 1)
      const how = this.below(5)
      if (how === 0) copy[at] = this.below(256)
      else if (how === 1) copy.splice(at, 1 + this.below(4))
      else if (how === 2) copy.splice(at, 0, ...this.bytes(1 + this.below(8)))
      else if (how === 3) copy.length = at
      else copy.splice(at, 0, ...copy.slice(0, 64))
    }
    return Buffer.from(copy.map((byte) => byte ?? 0))
  }
}
