/** Groups that share no batch for a while. */
const most = 10_000

export class Apart {
  readonly #until = new Map<string, number>()

  set(name: string, untilMs: number): void {
    if (this.#until.size >= most) this.#until.clear()
    this.#until.set(name, untilMs)
  }

  /** A time in the past for a group that is not apart. */
  untilMs(name: string): number {
    const untilMs = this.#until.get(name) ?? Number.NEGATIVE_INFINITY
    if (untilMs < performance.now()) this.#until.delete(name)
    return untilMs
  }
}
