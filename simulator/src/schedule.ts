/** Every wait of the simulator, so that closing ends them all at once. */
export class Schedule {
  readonly #waits = new Map<NodeJS.Timeout, () => void>()
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves to true when the time has passed, to false when the simulator closed before. */
  pause(ms: number): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waits.delete(timer)
        resolve(true)
      }, ms)
      this.#waits.set(timer, () => resolve(false))
    })
  }

  /** Runs work that nobody waits for. A failure is reported, and never crashes the process. */
  run(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.#closed) console.error(`simulator: ${error instanceof Error ? error.message : String(error)}`)
    })
  }

  /** Runs the steps one after the other, each after a gap. */
  inSequence(gapMs: number, steps: readonly (() => Promise<void>)[]): void {
    this.run(async () => {
      for (const step of steps) {
        if (!(await this.pause(gapMs))) return
        await step()
      }
    })
  }

  close(): void {
    this.#closed = true
    for (const [timer, release] of this.#waits) {
      clearTimeout(timer)
      release()
    }
    this.#waits.clear()
  }
}
