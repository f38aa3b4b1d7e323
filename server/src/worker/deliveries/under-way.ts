/** Messages in hand: those that are being handed over, and those that wait in memory for their turn. */
import {
  attemptDeadlineMs,
  createFinishes,
  type DeliverDependencies,
  type DueDelivery,
  deliver,
  readHeld,
  type Slot,
  Slots,
} from '../../domain/delivery/index.ts'
import { coalesce } from '../../platform/coalesce.ts'
import type { Database } from '../../platform/database.ts'
import { LateWrites } from '../../platform/late-writes.ts'
import { describeError } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { Pool } from '../../platform/pool.ts'
import type { Pulse } from '../../platform/pulse.ts'
import { Tally } from '../../platform/tally.ts'
import type { Strays } from './strays.ts'
import type { Walk } from './walk.ts'

/** How many messages may be in hand. Each takes a few kilobytes of memory. */
const maxInHand = 4_000
/** A message that waited in memory for longer is read again before it is sent: its code may have been replaced. */
const freshMs = 3_000
const reading = { maxRunning: 1, maxBatch: 500, maxWaiting: 1_000_000 }
/** While the database is away nothing else can be done, so outcomes are kept until it is back. */
const keptMs = 24 * 3_600_000
/** Longer than any code is valid: after that nobody would hand the message over again. */
const refusedMs = 15 * 60_000
/** How many outcomes are retried at once. They are written in batches, so this is not the number of statements. */
const lateAtOnce = 100

export interface UnderWayDependencies extends Omit<DeliverDependencies, 'outcomes' | 'finishes'> {
  readonly database: Database
  /** The sign of life of this process; it continues until nothing is in hand any more. */
  readonly pulse: Pulse
  readonly metrics: Pick<Metrics, 'setUnwritten'>
}

interface Surroundings {
  readonly walk: Walk
  readonly strays: Strays
  /** Called when a slot has become free. */
  readonly onEnd: () => void
}

interface Job {
  readonly due: DueDelivery
  readonly slot: Slot
  /** When the lease began, or a moment earlier. */
  readonly heldSinceMs: number
  /** When the row was last read or written. */
  readAtMs: number
}

export class UnderWay {
  readonly slots = new Slots(maxInHand)
  /** Its ids. One may be in hand twice for a moment: given back and claimed again, the answer to the claim first. */
  readonly held = new Tally()
  readonly #pool: Pool<Job>
  readonly #outcomes: LateWrites
  readonly #readAgain: (group: string, due: DueDelivery) => Promise<DueDelivery | null>

  constructor(dependencies: UnderWayDependencies, { walk, strays, onEnd }: Surroundings) {
    const { database, clock, log, pulse, metrics } = dependencies
    this.#outcomes = new LateWrites({
      what: 'outcomes of deliveries',
      keptMs,
      refusedMs,
      maxAtOnce: lateAtOnce,
      onCount: metrics.setUnwritten,
      log,
    })
    this.#readAgain = coalesce<DueDelivery, DueDelivery | null>(async (dues) => {
      const look = { workerId: pulse.workerId, span: walk.spanAt(clock.nowMs()) }
      const stillHeld = await readHeld(database, look, dues)
      return dues.map(({ deliveryId }) => ({ value: stillHeld.get(deliveryId) ?? null }))
    }, reading)
    const finishes = createFinishes({ database, clock })
    const delivering = { ...dependencies, outcomes: this.#outcomes, finishes }
    this.#pool = new Pool<Job>({
      ownerOf: ({ due }) => due.companyId,
      run: (job) =>
        deliver(delivering, job.due, {
          slot: job.slot,
          isCovered: () => pulse.covers(job.heldSinceMs, attemptDeadlineMs),
          refresh: (due) => this.#refresh(job, due),
        }),
      onError: ({ due, heldSinceMs }, error) => {
        // Nothing was handed over yet. The delivery becomes a stray, and is found as one.
        strays.note(clock.nowMs() - (performance.now() - heldSinceMs))
        log('error', 'a delivery could not be begun', {
          delivery_id: due.deliveryId,
          ...describeError(error),
        })
      },
      onEnd: ({ due, slot }) => {
        this.held.add(due.deliveryId, -1)
        slot.release()
        onEnd()
      },
    })
  }

  /** Starts a delivery that this worker has just claimed in the table. */
  start(due: DueDelivery, heldSinceMs: number): void {
    this.held.add(due.deliveryId, 1)
    this.begin(due, this.slots.take(due), heldSinceMs)
  }

  /** Starts a delivery that already counts as in hand and has its slot. */
  begin(due: DueDelivery, slot: Slot, heldSinceMs: number): void {
    this.#pool.start({ due, slot, heldSinceMs, readAtMs: performance.now() })
  }

  /** Resolves when everything has ended. Deliveries that wait for their turn at an account go back to the table. */
  drain(): Promise<void> {
    this.slots.close()
    return this.#pool.drained()
  }

  /** Gives up outcomes that could not be written. */
  stop(): void {
    this.#outcomes.stop()
  }

  async #refresh(job: Job, due: DueDelivery): Promise<DueDelivery | null> {
    const nowMs = performance.now()
    if (nowMs - job.readAtMs < freshMs) return due
    const fresh = await this.#readAgain('', due)
    job.readAtMs = nowMs
    return fresh
  }
}
