/** Limits how many messages are under way at once, and pauses when the carrier throttles. */

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 8_000

interface Waiter {
  readonly admit: (admitted: boolean) => void
}

export class SendWindow {
  readonly #size: number
  readonly #waiters = new Set<Waiter>()
  #inFlight = 0
  #pauseMs = FIRST_PAUSE_MS
  #pauseTimer: NodeJS.Timeout | null = null
  #closed = false
  #onIdle: (() => void) | null = null

  constructor(size: number) {
    this.#size = size
  }

  /** False if the deadline or the close came first; else `release` must follow. First come, first served. */
  acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.#closed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const giveUp = (): void => waiter.admit(false)
      const waiter: Waiter = {
        admit: (admitted) => {
          signal.removeEventListener('abort', giveUp)
          this.#waiters.delete(waiter)
          resolve(admitted)
        },
      }
      signal.addEventListener('abort', giveUp)
      this.#waiters.add(waiter)
      this.#admitNext()
    })
  }

  release(): void {
    this.#inFlight -= 1
    if (this.#inFlight === 0) this.#onIdle?.()
    this.#admitNext()
  }

  /** Called when the carrier throttles: nothing is sent for a while, longer each time in a row. */
  slowDown(): number {
    const pauseMs = this.#pauseMs
    if (this.#pauseTimer === null && !this.#closed) {
      this.#pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
      this.#pauseTimer = setTimeout(() => {
        this.#pauseTimer = null
        this.#admitNext()
      }, pauseMs)
    }
    return pauseMs
  }

  get isPaused(): boolean {
    return this.#pauseTimer !== null
  }

  speedUp(): void {
    if (this.#pauseTimer === null) this.#pauseMs = FIRST_PAUSE_MS
  }

  /** Turns away everything that waits, and resolves when everything under way has ended. */
  close(): Promise<void> {
    this.#closed = true
    if (this.#pauseTimer !== null) clearTimeout(this.#pauseTimer)
    this.#pauseTimer = null
    for (const waiter of [...this.#waiters]) waiter.admit(false)
    if (this.#inFlight === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  #admitNext(): void {
    for (const waiter of this.#waiters) {
      if (this.#inFlight >= this.#size || this.#pauseTimer !== null || this.#closed) return
      this.#inFlight += 1
      waiter.admit(true)
    }
  }
}
