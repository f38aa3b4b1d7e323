/**
 * A worker's sign of life, and how long the others are sure to count on it. While it lives nobody takes over what it
 * holds, a message or an event, however long that takes.
 */
import type { Database } from './database.ts'
import { timeNow } from './database.ts'

/** Who takes something has it for so long, whether or not it is heard of. */
export const leaseSeconds = 30
const aliveSeconds = 25
/** Said so often that several may fail before the worker counts as dead. */
export const aliveEveryMs = 5_000
/** Two in a row did not come through. */
const lateMs = 3 * aliveEveryMs
/** After an outage of the database those who hold something are heard first. */
export const graceSeconds = 15

/** SQL for the names of those that live. */
export const livingWorkers = `select worker_id from workers where expires_at > ${timeNow}`
/** SQL that is false while PostgreSQL has just been started, and nobody could be heard. */
export const isHeardOut = `pg_postmaster_start_time() < clock_timestamp() - ${graceSeconds} * interval '1 second'`

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
    await this.#database.query({
      name: 'say-alive',
      text: `insert into workers (worker_id, expires_at) values ($1, clock_timestamp() + ${aliveSeconds} * interval '1 second')
             on conflict (worker_id) do update set expires_at = excluded.expires_at`,
      values: [this.workerId],
    })
    this.#aliveUntilMs = startedAtMs + aliveSeconds * 1_000
    this.#beatAtMs = startedAtMs
  }

  /** Whether this worker itself was kept from saying that it lives: what kept it may have kept the others too. */
  isLate(): boolean {
    return performance.now() - this.#beatAtMs > lateMs
  }

  /** Whether an attempt that begins now ends before anybody may take over what was claimed at that time. */
  covers(claimedAtMs: number, attemptMs: number): boolean {
    const safeUntilMs = Math.max(this.#aliveUntilMs, claimedAtMs + leaseSeconds * 1_000)
    return safeUntilMs - performance.now() >= attemptMs
  }

  async end(): Promise<void> {
    await this.#database.query({ text: 'delete from workers where worker_id = $1', values: [this.workerId] })
  }
}
