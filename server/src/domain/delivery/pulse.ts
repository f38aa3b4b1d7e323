/** A worker's sign of life, and how long the others are sure to count on it. */
import type { Database } from '../../platform/database.ts'
import { sayAlive, sayGone } from './claim-store.ts'
import { aliveEveryMs, aliveSeconds, attemptDeadlineMs, leaseSeconds } from './delivery.ts'

/** Two in a row did not come through. */
const lateMs = 3 * aliveEveryMs

export class Pulse {
  readonly workerId: string
  readonly #database: Database
  #aliveUntilMs = Number.NEGATIVE_INFINITY
  #beatAtMs = Number.POSITIVE_INFINITY

  constructor(workerId: string, database: Database) {
    this.workerId = workerId
    this.#database = database
  }

  async beat(): Promise<void> {
    // From before the call: the database counts from when it comes to it, which is later.
    const startedAtMs = performance.now()
    await sayAlive(this.#database, this.workerId)
    this.#aliveUntilMs = startedAtMs + aliveSeconds * 1_000
    this.#beatAtMs = startedAtMs
  }

  /** Whether this worker itself was kept from saying that it lives: what kept it may have kept the others too. */
  isLate(): boolean {
    return performance.now() - this.#beatAtMs > lateMs
  }

  /** Whether an attempt that begins now ends before anybody may take over what was claimed at that time. */
  covers(claimedAtMs: number): boolean {
    const safeUntilMs = Math.max(this.#aliveUntilMs, claimedAtMs + leaseSeconds * 1_000)
    return safeUntilMs - performance.now() >= attemptDeadlineMs
  }

  async end(): Promise<void> {
    await sayGone(this.#database, this.workerId)
  }
}
