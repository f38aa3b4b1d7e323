/** Counts by name. A name whose count is zero takes no memory. */
export class Tally {
  readonly #counts: Map<string, number>

  constructor(counts: Iterable<readonly [string, number]> = []) {
    this.#counts = new Map(counts)
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, change: number): void {
    const count = this.of(key) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }

  /** The names whose count is not zero. */
  names(): string[] {
    return [...this.#counts.keys()]
  }

  copy(): Tally {
    return new Tally(this.#counts)
  }
}
