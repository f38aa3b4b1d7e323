/** A worker's sign of life, and how long the others are sure to count on it. */
import type { Database } from '../../platform/database.ts'
import { sayAlive, sayGone } from './claim-store.ts'
import { aliveSeconds, attemptDeadlineMs, leaseSeconds } from './delivery.ts'

export class Pulse {
  readonly workerId: string
  readonly #database: Database
  #aliveUntilMs = Number.NEGATIVE_INFINITY

  constructor(workerId: string, database: Database) {
    this.workerId = workerId
    this.#database = database
  }

  async beat(): Promise<void> {
    // From before the call: the database counts from when it comes to it, which is later.
    const startedAtMs = performance.now()
    await sayAlive(this.#database, this.workerId)
    this.#aliveUntilMs = startedAtMs + aliveSeconds * 1_000
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
