/**
 * A worker's sign of life, and how long the others rely on it. While the worker is alive, nobody takes over a message
 * or an event that it holds, however long it needs.
 */
import { correctedMs } from './clock.ts'
import type { Database } from './database.ts'
import { timeNow } from './database.ts'

/** How long a claim is valid even if the worker is not heard of again. */
export const leaseSeconds = 30
const aliveSeconds = 25
/** Often enough that several beats may fail before the worker counts as dead. */
export const aliveEveryMs = 5_000
/** By then, two beats in a row have failed. */
const lateMs = 3 * aliveEveryMs
/** After an outage of the database, workers get this long to report before anything is taken over from them. */
export const graceSeconds = 15

/** SQL for the ids of the workers that are alive. */
export const livingWorkers = `select worker_id from workers where expires_at > ${timeNow}`
/**
 * SQL that is false shortly after PostgreSQL has started, while workers may not have been able to report yet. A start that
 * lies ahead was noted by a clock that has been put right.
 */
export const isGraceOver = `pg_postmaster_start_time() not between clock_timestamp() - ${graceSeconds} * interval '1 second'
  and clock_timestamp() + ${correctedMs / 1_000} * interval '1 second'`

/** The steady time stands still while the machine sleeps; its date goes on, but may be set. */
interface Moment {
  readonly steadyMs: number
  readonly dateMs: number
}
const moment = (): Moment => ({ steadyMs: performance.now(), dateMs: Date.now() })

export class Pulse {
  readonly workerId: string
  readonly #database: Database
  #aliveUntilMs = Number.NEGATIVE_INFINITY
  #beatAt: Moment | null = null
  /** When it gave signs of life again after a gap in which others may have taken over what it held. */
  #revivedAtMs = Number.NEGATIVE_INFINITY

  constructor(workerId: string, database: Database) {
    this.workerId = workerId
    this.#database = database
  }

  async beat(): Promise<void> {
    // The time before the call: the database counts from a later time, so we never rely on it for too long.
    const startedAt = moment()
    await this.#database.query({
      name: 'say-alive',
      text: `insert into workers (worker_id, expires_at) values ($1, clock_timestamp() + ${aliveSeconds} * interval '1 second')
             on conflict (worker_id) do update set expires_at = excluded.expires_at`,
      values: [this.workerId],
    })
    if (this.#isSilentAt(startedAt)) this.#revivedAtMs = startedAt.steadyMs
    this.#aliveUntilMs = startedAt.steadyMs + aliveSeconds * 1_000
    this.#beatAt = startedAt
  }

  /**
   * Whether this worker is late with its sign of life, or has just been: whatever delayed it may have delayed the others
   * too.
   */
  isLate(): boolean {
    const now = moment()
    return this.#isSilentAt(now) || now.steadyMs - this.#revivedAtMs < aliveEveryMs
  }

  /** Whether an attempt that begins now ends before anybody may take over what was claimed at `claimedAtMs`. */
  covers(claimedAtMs: number, attemptMs: number): boolean {
    const now = moment()
    // What was claimed before a gap may have been taken over during it; how long a sleep was is not in `claimedAtMs`.
    if (claimedAtMs < this.#revivedAtMs || this.#hasSleptAt(now)) return false
    const safeUntilMs = Math.max(this.#aliveUntilMs, claimedAtMs + leaseSeconds * 1_000)
    return safeUntilMs - now.steadyMs >= attemptMs
  }

  #isSilentAt({ steadyMs, dateMs }: Moment): boolean {
    const last = this.#beatAt
    return last !== null && Math.max(steadyMs - last.steadyMs, dateMs - last.dateMs) > lateMs
  }

  #hasSleptAt({ steadyMs, dateMs }: Moment): boolean {
    const last = this.#beatAt
    return last !== null && dateMs - last.dateMs - (steadyMs - last.steadyMs) > lateMs
  }

  async end(): Promise<void> {
    await this.#database.query({ text: 'delete from workers where worker_id = $1', values: [this.workerId] })
  }
}
