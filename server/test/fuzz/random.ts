/** Random numbers from a seed: the same seed makes the same cases, so that a failing one can be repeated. */

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
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
