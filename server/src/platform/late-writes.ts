/**
 * Writes that must not be lost while the database is away: each is tried at once, kept in memory when that fails, and
 * tried again until it succeeds. Callers limit how much they hand in.
 */
import { AppError } from '@countersign/contract'
import { describeError, type Log } from './log.ts'

/** Few retries at once, so that locked rows do not take all connections; callers that write in batches allow more. */
const defaultAtOnce = 4
const pauseMs = 250

export interface LateWritesOptions {
  /** What is written, in the plural, as the log names it when it has to wait. */
  readonly what: string
  /** How long a write is kept while the database is away. */
  readonly keptMs: number
  /** How long a write is kept when the database refuses it for a reason that may be permanent. */
  readonly refusedMs: number
  readonly maxAtOnce?: number
  readonly onCount?: (count: number) => void
  readonly log: Log
}

interface Late {
  readonly run: () => Promise<void>
  readonly settle: (isWritten: boolean) => void
  readonly sinceMs: number
}

export class LateWrites {
  readonly #options: LateWritesOptions
  readonly #late: Late[] = []
  #count = 0
  #running = 0
  #trying = 0
  #isStopped = false
  /** Writes that were under way at the stop, and have failed since. */
  #failed = 0

  constructor(options: LateWritesOptions) {
    this.#options = options
  }

  /** True when it was written; false when it was given up. */
  async write(run: () => Promise<void>): Promise<boolean> {
    try {
      await run()
      return true
    } catch (error) {
      return this.#keep(run, error)
    }
  }

  /** Gives up everything that is still unwritten. What is under way may still succeed. */
  stop(): void {
    this.#isStopped = true
    this.#sayLost(this.#late.length)
    for (const { settle } of this.#late.splice(0)) settle(false)
  }

  #sayLost(count: number): void {
    const { what, log } = this.#options
    if (count > 0) log('error', `${what} could not be written`, { count })
  }

  #keep(run: Late['run'], error: unknown): Promise<boolean> | boolean {
    const { what, log } = this.#options
    const sinceMs = performance.now()
    if (this.#isStopped) this.#sayLost(1)
    if (this.#isStopped || this.#isHopeless(sinceMs, error)) return false
    if (this.#count === 0) log('warn', `${what} wait to be written`, describeError(error))
    this.#add(1)
    return new Promise((resolve) => {
      const settle = (isWritten: boolean) => {
        this.#add(-1)
        resolve(isWritten)
      }
      this.#late.push({ run, settle, sinceMs })
      if (this.#running < (this.#options.maxAtOnce ?? defaultAtOnce)) void this.#work()
    })
  }

  #add(change: number): void {
    this.#count += change
    this.#options.onCount?.(this.#count)
  }

  async #work(): Promise<void> {
    this.#running++
    // The database has just refused the first try, so wait a little before the second.
    await pause()
    for (let late = this.#late.shift(); late; late = this.#late.shift()) {
      if (!(await this.#try(late))) await pause()
    }
    this.#running--
  }

  async #try(late: Late): Promise<boolean> {
    this.#trying++
    const error = await late.run().then(
      () => null,
      (thrown: unknown) => ({ thrown }),
    )
    this.#trying--
    if (!error) late.settle(true)
    else if (this.#isStopped) {
      this.#failed++
      late.settle(false)
    } else if (this.#isHopeless(late.sinceMs, error.thrown)) late.settle(false)
    else this.#late.push(late)
    if (this.#trying === 0) {
      this.#sayLost(this.#failed)
      this.#failed = 0
    }
    return !error
  }

  #isHopeless(sinceMs: number, error: unknown): boolean {
    const { what, keptMs, refusedMs, log } = this.#options
    const isOver = performance.now() - sinceMs >= (error instanceof AppError ? keptMs : refusedMs)
    if (isOver) log('error', `${what} could not be written`, describeError(error))
    return isOver
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs))
