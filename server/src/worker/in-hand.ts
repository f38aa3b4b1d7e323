/**
 * The names of what a worker has in hand. A name may be in hand twice for a moment: it was given back and claimed
 * again, and the answer to the claim came first.
 */
export class InHand {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  remove(name: string): void {
    const left = (this.#counts.get(name) ?? 0) - 1
    if (left > 0) this.#counts.set(name, left)
    else this.#counts.delete(name)
  }

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  names(): string[] {
    return [...this.#counts.keys()]
  }
}
