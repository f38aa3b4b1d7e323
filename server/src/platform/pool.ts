/** Runs jobs concurrently, counts them by owner, and can wait for all of them to end. */
import { Tally } from './tally.ts'

export interface PoolOptions<Job> {
  readonly run: (job: Job) => Promise<void>
  /** The owner under whom the job is counted. */
  readonly ownerOf: (job: Job) => string
  /** Called with an error that `run` did not handle itself. */
  readonly onError: (job: Job, error: unknown) => void
  /** Called after each job, when its slot is free again. */
  readonly onEnd: (job: Job) => void
}

export class Pool<Job> {
  readonly #options: PoolOptions<Job>
  readonly #running = new Set<Promise<void>>()
  readonly #ofOwner = new Tally()

  constructor(options: PoolOptions<Job>) {
    this.#options = options
  }

  get size(): number {
    return this.#running.size
  }

  countOf(owner: string): number {
    return this.#ofOwner.of(owner)
  }

  start(job: Job): void {
    const { run, ownerOf, onError, onEnd } = this.#options
    const owner = ownerOf(job)
    this.#ofOwner.add(owner, 1)
    const work = run(job)
      .catch((error: unknown) => onError(job, error))
      .finally(() => {
        this.#running.delete(work)
        this.#ofOwner.add(owner, -1)
        onEnd(job)
      })
    this.#running.add(work)
  }

  /** Resolves when all running jobs have ended, including those that were started meanwhile. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
