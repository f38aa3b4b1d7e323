/** Writes how attempts ended: successes together in batches, each failure by itself. */
import type { Clock } from '../../platform/clock.ts'
import { coalesce } from '../../platform/coalesce.ts'
import type { Database } from '../../platform/database.ts'
import { partitionOf } from '../../platform/partitions.ts'
import type { DueEvent } from './claim-store.ts'
import * as store from './outcome-store.ts'

export interface Outcomes {
  readonly taken: (due: DueEvent, attempt: store.Attempt) => Promise<void>
  /** Returns the reason if this paused the endpoint. */
  readonly failed: (
    due: DueEvent,
    attempt: store.Attempt,
    next: Parameters<typeof store.markFailed>[3],
  ) => Promise<string | null>
}

const maxBatch = 200
/** One batch for the partition of today, and one for that of yesterday. */
const maxRunning = 2
/** More than a sender ever has under way. */
const maxWaiting = 10_000
/** A short wait: only the endpoint's own window waits for these writes. */
const gathering = { ms: 15, fromSize: 2 }

interface Taken {
  readonly due: DueEvent
  readonly attempt: store.Attempt
  readonly table: string
}

export function createOutcomes({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): Outcomes {
  const submit = coalesce<Taken, void>(
    async (taken) => {
      await store.markTaken(database, taken[0]?.table ?? 'events', taken)
      return taken.map(() => ({ value: undefined }))
    },
    { maxRunning, maxBatch, maxWaiting, gathering },
  )
  return {
    taken: (due, attempt) => {
      if (due.isProbe) return store.markProbeTaken(database.of(due.companyId), due, attempt)
      const table = partitionOf('events', due.eventId, clock.nowMs())
      return submit(table, { due, attempt, table })
    },
    failed: (due, attempt, next) => store.markFailed(database.of(due.companyId), due, attempt, next),
  }
}
