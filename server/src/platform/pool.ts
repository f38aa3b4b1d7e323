/** Jobs that are under way at once: counts them by owner, and waits for their end. */
import { Tally } from './tally.ts'

export interface PoolOptions<Job> {
  readonly run: (job: Job) => Promise<void>
  /** Whose it is: each owner's jobs are counted. */
  readonly ownerOf: (job: Job) => string
  /** What `run` did not deal with itself. */
  readonly onError: (job: Job, error: unknown) => void
  /** Called after each job, when its place is free again. */
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

  /** Resolves when all that was begun has ended, with what was begun meanwhile. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
