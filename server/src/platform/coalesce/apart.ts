/** Groups that for a while do not share a batch with others. */
const most = 10_000

export class Apart {
  readonly #until = new Map<string, number>()

  set(name: string, untilMs: number): void {
    if (this.#until.size >= most) this.#until.clear()
    this.#until.set(name, untilMs)
  }

  /** Until when the group shares no batch; a time in the past if it may share one. */
  untilMs(name: string): number {
    const untilMs = this.#until.get(name) ?? Number.NEGATIVE_INFINITY
    if (untilMs < performance.now()) this.#until.delete(name)
    return untilMs
  }
}
