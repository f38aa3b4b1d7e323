/** Hands queued deliveries to their providers: many at once, each company and each account with a share of its own. */
import { randomBytes } from 'node:crypto'
import {
  aliveEveryMs,
  claimDue,
  type DeliverDependencies,
  type DueDelivery,
  deliver,
  graceSeconds,
  type Line,
  listLines,
  Pulse,
  Slots,
} from '../domain/delivery/index.ts'
import { LateWrites } from '../platform/late-writes.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { within } from '../platform/within.ts'

const pollMs = 500
const maxInFlight = 500
const maxInFlightPerAccount = 50
const maxTaken = 100
/** Companies and accounts that one round looks at; the next one goes on where it was cut. */
const maxLines = 200
/** Codes live for minutes; the first round looks at everything, for what an outage left. */
const lookBackMs = 2 * 86_400_000
/** Partitions are made days ahead, and nothing is in them yet. */
const lookAheadMs = 3_600_000
/** Attempts under way end in 15 seconds; what is left is for writing how they ended, before the process is ended. */
const stopMs = 17_000
/** A database that is away has nothing else to do for us: what was left then is written when it is back. */
const keptMs = 24 * 3_600_000
/** Longer than any code lives: after that nobody would hand the message over again. */
const refusedMs = 15 * 60_000

export interface DeliveryWorker extends Loop {}

export interface DeliveryWorkerDependencies extends Omit<DeliverDependencies, 'outcomes'> {
  readonly metrics: Pick<Metrics, 'setInFlight' | 'countTakenOver' | 'setUnwritten'>
}

export function startDeliveryWorker(dependencies: DeliveryWorkerDependencies): DeliveryWorker {
  const { database, clock, log, metrics } = dependencies
  const pulse = new Pulse(randomBytes(9).toString('base64url'), database)
  const outcomes = new LateWrites({
    what: 'outcomes of deliveries',
    keptMs,
    refusedMs,
    onCount: metrics.setUnwritten,
    log,
  })
  const slots = new Slots(maxInFlight, maxInFlightPerAccount)
  const held = new Set<string>()
  const running = new Set<Promise<void>>()
  const walk = new Walk()
  let isWithoutDatabase = false
  let graceUntilMs = Number.NEGATIVE_INFINITY

  async function round(): Promise<boolean> {
    const nowMs = clock.nowMs()
    const span = { fromMs: walk.isFirst ? 0 : nowMs - lookBackMs, toMs: nowMs + lookAheadMs }
    const lines = await listLines(database, walk.after, span, maxLines)
    if (isWithoutDatabase) graceUntilMs = performance.now() + graceSeconds * 1_000
    isWithoutDatabase = false
    const { rooms, isShort } = slots.shareOut(
      lines.filter((line) => line.isDue),
      maxTaken,
    )
    const claimedAtMs = performance.now()
    const mayTakeOver = claimedAtMs >= graceUntilMs
    const claimed =
      rooms.length === 0
        ? []
        : await claimDue(database, { workerId: pulse.workerId, rooms, held: [...held], mayTakeOver, span })
    for (const delivery of claimed) start(delivery, claimedAtMs)
    metrics.setInFlight(slots.held)
    const isFull = claimed.length > 0 && claimed.length === rooms.reduce((sum, { room }) => sum + room, 0)
    walk.goOn(lines, { isShort, isFull })
    return walk.after !== null || isFull
  }

  function start(delivery: DueDelivery, claimedAtMs: number): void {
    const { deliveryId, takenOver } = delivery
    const slot = slots.take(delivery)
    held.add(deliveryId)
    if (takenOver !== 'no') metrics.countTakenOver()
    const work = deliver({ ...dependencies, outcomes }, delivery, {
      slot,
      isCovered: () => pulse.covers(claimedAtMs),
    })
      .catch((error: unknown) => {
        // Before anything was handed over: the lease runs out and it is taken again.
        log('error', 'a delivery could not be begun', { delivery_id: deliveryId, ...describeError(error) })
      })
      .finally(() => {
        running.delete(work)
        held.delete(deliveryId)
        slot.release()
        // Only where somebody got less than they wanted did anything wait for this slot.
        if (walk.isShort) loop.nudge()
      })
    running.add(work)
  }

  const alive = startLoop({
    round: async () => {
      await pulse.beat()
      return false
    },
    pollMs: aliveEveryMs,
    onError: (error) => log('warn', 'saying that the worker lives failed', describeError(error)),
  })
  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => {
      isWithoutDatabase = true
      log('warn', 'looking for deliveries failed', describeError(error))
    },
  })
  return {
    nudge: loop.nudge,
    close: async () => {
      const closed = loop.close().then(() => Promise.all(running))
      await within(stopMs, closed)
      outcomes.stop()
      await alive.close()
      await pulse.end().catch(() => {})
    },
  }
}

/** Where the look for what waits has come to, over rounds. */
class Walk {
  after: Line | null = null
  isShort = false
  /** Until a whole walk has left nobody out. */
  isFirst = true
  #hasLeft = false

  goOn(lines: readonly Line[], { isShort, isFull }: { isShort: boolean; isFull: boolean }): void {
    const isStart = this.after === null
    this.after = lines.length === maxLines ? (lines.at(-1) ?? null) : null
    this.isShort = isShort || (!isStart && this.isShort)
    this.#hasLeft = isShort || isFull || (!isStart && this.#hasLeft)
    if (this.after === null && !this.#hasLeft) this.isFirst = false
  }
}
