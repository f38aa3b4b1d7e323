/**
 * Reports each problem of the database once: a line in the log when it begins and one when it is over, a metric, and
 * the answer of /readyz.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isUnavailable } from '../database.ts'
import { describeError, type Log, type LogLevel, type Warn } from '../log.ts'
import { type Loop, startLoop } from '../loop.ts'
import type { DatabaseMetrics } from './metrics.ts'
import { causeOf, type DatabaseProblem, databaseProblemOf } from './problems.ts'

/** How often the database is asked while it has a problem; otherwise only /readyz asks. */
const lookEveryMs = 1_000
/**
 * A server that refuses some connections or runs out of memory still serves other calls, so such a problem counts as
 * over only when it has not been seen for this long.
 */
const standsMs = 5_000

/** Problems that only some statements or connections meet, while others are served. */
const inPassing: readonly DatabaseProblem[] = ['connections_exhausted', 'out_of_memory', 'disk_failing']
/** For this long after a statement got no answer in time, each check also asks whether commits wait for a standby. */
const doubtMs = 30_000
/** Problems that are over only when something can be written: a query that is answered from memory proves nothing. */
const ofDisk: readonly DatabaseProblem[] = ['disk_full', 'disk_failing']

/** A connection that has just ended leaves the pool a moment later, so the database is asked again after this time. */
const lookAgainMs = 100
const lookAgainTimes = 2

interface Found {
  readonly problem: DatabaseProblem
  readonly error: unknown
}

/** A problem that is not over yet. */
interface OpenProblem {
  heardMs: number
}

export class DatabaseHealth {
  readonly #database: Database
  readonly #log: Log
  readonly #metrics: DatabaseMetrics
  readonly #open = new Map<DatabaseProblem, OpenProblem>()
  /** When each problem was reported. All are reported as over with the last: only then is the database in order. */
  readonly #said = new Map<DatabaseProblem, number>()
  readonly #loop: Loop
  #looking: Promise<boolean> | null = null
  #doubtUntilMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(
    database: Database,
    { log, metrics }: { readonly log: Log; readonly metrics: DatabaseMetrics },
  ) {
    this.#database = database
    this.#log = log
    this.#metrics = metrics
    this.#loop = startLoop({
      round: async () => {
        if (this.#open.size > 0) await this.isUsable()
      },
      pollMs: lookEveryMs,
      onError: () => {},
    })
  }

  get problems(): readonly DatabaseProblem[] {
    return [...this.#open.keys()]
  }

  /** Nothing is reported from now on. Does not wait for a check that is under way. */
  close(): void {
    this.#isClosed = true
    void this.#loop.close()
  }

  /** Called with every error from the database or from a connection to it. */
  readonly note = (error: unknown): void => {
    const problem = databaseProblemOf(error)
    if (!problem || this.#isClosed) return
    this.#metrics.countDatabaseError(problem)
    if (problem === 'not_answering') this.#doubtUntilMs = performance.now() + doubtMs
    const open = this.#open.get(problem)
    if (open) open.heardMs = performance.now()
    // One broken connection proves nothing yet: another one may work.
    else if (ofDisk.includes(problem) || inPassing.includes(problem)) this.#begin(problem, error)
    else void this.isUsable()
  }

  /** Calls `act`, or `otherwise` if the error came from a database that nobody can use at the moment. */
  unlessAway(error: unknown, act: () => void, otherwise: () => void = () => {}): void {
    const problem = databaseProblemOf(isUnavailable(error) ? error.cause : error)
    if (!problem || this.#isClosed) act()
    else if (this.#open.size > 0) otherwise()
    else void this.isUsable().then((isUsable) => (isUsable ? act() : otherwise()))
  }

  readonly warn: Warn = (message, error, fields = {}) => {
    const say = (level: LogLevel) => () => this.#log(level, message, { ...fields, ...describeError(error) })
    this.unlessAway(error, say('warn'), say('debug'))
  }

  /** Asks the database now, and never rejects. Callers at the same time share one query. */
  isUsable(): Promise<boolean> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #look(): Promise<boolean> {
    const found = await this.#askUntilSure()
    const nowMs = performance.now()
    for (const [problem, { heardMs }] of this.#open) {
      const isPassing = inPassing.includes(problem) && nowMs - heardMs < standsMs
      if (problem !== found && !isPassing) this.#end(problem)
    }
    return found === null
  }

  /** Resolves with the problem, or null. Asks several times: the pool may still hold connections that have ended. */
  async #askUntilSure(): Promise<DatabaseProblem | null> {
    let found = await this.#ask()
    for (let again = 0; again < lookAgainTimes && found?.problem === 'unreachable'; again++) {
      await sleep(lookAgainMs)
      found = await this.#ask()
    }
    if (!found) return null
    const open = this.#open.get(found.problem)
    if (open) open.heardMs = performance.now()
    else this.#begin(found.problem, found.error)
    return found.problem
  }

  async #ask(): Promise<Found | null> {
    try {
      const { rows } = await this.#database.query<{ is_read_only: boolean }>({
        text: `select current_setting('transaction_read_only') = 'on' as is_read_only`,
      })
      if (rows[0]?.is_read_only) return { problem: 'read_only', error: null }
      if (await this.#isStandbyMissed()) return { problem: 'standby_not_confirming', error: null }
      if (ofDisk.some((problem) => this.#open.has(problem))) await this.#useDisk()
      return null
    } catch (error) {
      const cause = isUnavailable(error) ? error.cause : error
      return { problem: databaseProblemOf(cause) ?? 'not_answering', error: cause }
    }
  }

  /**
   * Whether commits wait for a synchronous standby: queries are answered then, but no write is. A session keeps waiting
   * after its client has given up, so this is noticed even when there are no more calls.
   */
  async #isStandbyMissed(): Promise<boolean> {
    if (performance.now() > this.#doubtUntilMs && !this.#open.has('standby_not_confirming')) return false
    const sessions = this.#database.query({
      text: `select from pg_stat_activity
              where datname = current_database() and usename = current_user and wait_event = 'SyncRep'
                and query_start < clock_timestamp() - interval '2 seconds' limit 1`,
    })
    return sessions.then(
      ({ rows }) => rows.length > 0,
      // A role that may not see the sessions cannot tell; the database itself has answered.
      (error: unknown) => (isUnavailable(error) ? Promise.reject(error) : false),
    )
  }

  /** On a full disk a row may still fit into a page with free space. A temporary table needs new pages. */
  async #useDisk(): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await transaction.query({ text: 'create temporary table room (filler text) on commit drop' })
      await transaction.query({
        text: `insert into room select repeat('x', 1000) from generate_series(1, 1000)`,
      })
    })
  }

  #begin(problem: DatabaseProblem, error: unknown): void {
    if (this.#isClosed) return
    const nowMs = performance.now()
    this.#open.set(problem, { heardMs: nowMs })
    if (!this.#said.has(problem)) {
      this.#said.set(problem, nowMs)
      const cause = error === null ? problem : causeOf(error)
      this.#log('error', 'the database cannot be used as it should', { problem, cause })
    }
    this.#metrics.setDatabaseProblems(this.problems)
    this.#loop.nudge()
  }

  #end(problem: DatabaseProblem): void {
    this.#open.delete(problem)
    this.#metrics.setDatabaseProblems(this.problems)
    if (this.#open.size > 0) return
    for (const [over, sinceMs] of this.#said) {
      const seconds = Math.round((performance.now() - sinceMs) / 1000)
      this.#log('info', 'the database is in order again', { problem: over, seconds })
    }
    this.#said.clear()
  }
}
