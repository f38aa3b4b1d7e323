/**
 * Writes outcomes of deliveries in batches: those that come while one batch is being written form the next. Each call
 * resolves when its own row is written, and does not depend on its neighbours: a locked row is tried again by itself,
 * and a row that breaks the statement is written alone from then on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import { coalesce } from '../../platform/coalesce.ts'
import type { Queryable } from '../../platform/database.ts'
import { partitionOf } from '../../platform/partitions.ts'
import { Tally } from '../../platform/tally.ts'
import * as failing from './fail-store.ts'
import type { Named, SizedTable } from './finish-statement.ts'
import * as store from './finish-store.ts'

/** The bound on waiting is high, since callers bound what they hand in: messages by slots, receipts by their desk. */
const batching = {
  maxRunning: 2,
  maxBatch: 500,
  maxWaiting: 1_000_000,
  // A short wait: no caller of the API waits for these writes, and messages that left together are answered almost
  // together.
  gathering: { ms: 15, fromSize: 2 },
}
const firstPauseMs = 10
const longestPauseMs = 500
/** If a row is locked for longer, the call fails, and its caller tries again. */
const patienceMs = 5_000

/** How many tables are counted: today's, yesterday's and two older ones. */
const mostDays = 4

type Write<Row> = (row: Row) => Promise<void>

export interface Finishes {
  readonly sent: Write<store.Sent>
  readonly postponed: Write<store.Postponed>
  readonly failed: Write<failing.Failed>
  readonly delivered: Write<store.Delivered>
  readonly failedByReceipt: Write<failing.FailedByReceipt>
}

export interface FinishDependencies {
  readonly database: Queryable
  readonly clock: Clock
}

export function createFinishes(dependencies: FinishDependencies): Finishes {
  const anyCompany = () => ''
  // A failure gives money back and waits for the company's row, so only failures of the same company wait with it.
  const ownCompany = ({ companyId }: Named) => companyId
  const byDelivery = ({ deliveryId }: Named) => deliveryId
  const byVerification = ({ otpId }: Named) => otpId
  return {
    sent: together(dependencies, store.markSent, anyCompany, byDelivery),
    postponed: together(dependencies, store.postpone, anyCompany, byDelivery),
    failed: together(dependencies, failing.markFailed, ownCompany, byVerification),
    delivered: together(dependencies, store.deliverByReceipt, anyCompany, byDelivery),
    failedByReceipt: together(dependencies, failing.failByReceipt, ownCompany, byVerification),
  }
}

function together<Row extends Named>(
  { database, clock }: FinishDependencies,
  write: (database: Queryable, into: SizedTable, rows: readonly Row[]) => Promise<ReadonlySet<string>>,
  groupOf: (row: Row) => string,
  keyOf: (row: Row) => string,
): Write<Row> {
  const tableOf = ({ deliveryId }: Named) => partitionOf('deliveries', deliveryId, clock.nowMs())
  const sizes = new TableSizes()
  const submit = coalesce<Row, boolean>(async (rows) => {
    const locked = new Set<string>()
    for (const round of inRounds(rows, keyOf)) {
      const [first] = round
      if (!first) continue
      const into = sizes.of(tableOf(first), round.length)
      for (const id of await write(database, into, round)) locked.add(id)
    }
    return rows.map(({ deliveryId }) => ({ value: !locked.has(deliveryId) }))
  }, batching)
  /** Rows that the database has refused, which are written alone from then on. */
  const refused = new WeakSet<Row>()
  return async (row) => {
    const alone = refused.has(row) ? row.deliveryId : ''
    const group = `${tableOf(row)} ${groupOf(row)} ${alone}`
    const startedAtMs = performance.now()
    let pauseMs = firstPauseMs
    try {
      while (!(await submit(group, row))) {
        if (performance.now() - startedAtMs >= patienceMs) throw rowLocked()
        await sleep(pauseMs)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    } catch (error) {
      if (!(error instanceof AppError)) refused.add(row)
      throw error
    }
  }
}

/** Counts the rows that were written to each table. With four times as many rows a table has another size. */
class TableSizes {
  readonly #counts = new Map<string, number>()

  of(table: string, rows: number): SizedTable {
    const count = (this.#counts.get(table) ?? 0) + rows
    if (!this.#counts.has(table)) this.#forgetOldest()
    this.#counts.set(table, count)
    return { table, size: Math.floor(Math.log2(count) / 2) }
  }

  #forgetOldest(): void {
    const oldest = this.#counts.size >= mostDays ? this.#counts.keys().next().value : undefined
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

const rowLocked = () =>
  new AppError('UnavailableError', 'The row is locked. Try again shortly.', { retry_after: 1 })

/** Splits rows into rounds, in the order in which they came, with no key twice in a round. */
export function inRounds<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const rounds: Row[][] = []
  const counts = new Tally()
  for (const row of rows) {
    const round = rounds[counts.of(keyOf(row))]
    counts.add(keyOf(row), 1)
    if (round) round.push(row)
    else rounds.push([row])
  }
  return rounds
}
