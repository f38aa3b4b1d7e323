/**
 * Hands deliveries to their providers: many at once, each company and each account with a share of its own.
 *
 * What this node accepts comes from memory, as far as there is room. The table is searched for the rest: what is to be
 * tried again, what other nodes have accepted, what waits for a busy account, and what a worker that died had in hand.
 */
import {
  attemptDeadlineMs,
  claimDue,
  createFinishes,
  type DeliverDependencies,
  type DueDelivery,
  deliver,
  type HandOver,
  listLines,
  listStrays,
  readHeld,
  type Slot,
  Slots,
  takeOver,
  takeStrays,
} from '../domain/delivery/index.ts'
import { coalesce } from '../platform/coalesce.ts'
import type { Database } from '../platform/database.ts'
import { LateWrites } from '../platform/late-writes.ts'
import { describeError, type Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { Pool } from '../platform/pool.ts'
import type { Pulse } from '../platform/pulse.ts'
import { within } from '../platform/within.ts'
import { Grace } from './grace.ts'
import { createHandOver } from './hand-over.ts'
import { InHand } from './in-hand.ts'
import { Strays } from './strays.ts'
import { Walk } from './walk.ts'

const pollMs = 500
/** Messages in memory, with those that are on their way: a few kilobytes each. */
const maxInHand = 4_000
const maxTaken = 500
/** Companies and accounts that one round looks at; the next one goes on where it was cut. */
const maxLines = 200
/** Slots that become free are not worth a look one by one; what waits for them waits no longer than this. */
const gatherMs = 100
/** What waited in memory for longer is read again before it is sent: its code may have been replaced meanwhile. */
const freshMs = 3_000
const reading = { maxRunning: 1, maxBatch: 500, maxWaiting: 1_000_000 }
const takeOverEveryMs = 2_000
const maxTakenOver = 200
/** Codes live for minutes; the first round looks at everything, for what an outage left. */
const lookBackMs = 2 * 86_400_000
/** Partitions are made days ahead, and nothing is in them yet. */
const lookAheadMs = 3_600_000
/** Attempts under way end in 15 seconds; what is left is for writing how they ended, before the process is ended. */
const stopMs = 17_000
/** While the database is away nothing else can be done, so outcomes are kept until it is back. */
const keptMs = 24 * 3_600_000
/** Longer than any code lives: after that nobody would hand the message over again. */
const refusedMs = 15 * 60_000
/**
 * How many outcomes are tried at once. They are written in batches, so this is not a number of statements.
 */
const lateAtOnce = 100

export interface DeliveryWorker extends Loop {
  readonly handOver: HandOver
}

export interface DeliveryWorkerDependencies extends Omit<DeliverDependencies, 'outcomes' | 'finishes'> {
  readonly database: Database
  readonly warn: Warn
  /** Of this process; it goes on until what is in hand has ended. */
  readonly pulse: Pulse
  readonly metrics: Pick<Metrics, 'setInFlight' | 'countTakenOver' | 'setUnwritten'>
}

interface Job {
  readonly due: DueDelivery
  readonly slot: Slot
  /** When the lease began, or a moment earlier. */
  readonly heldSinceMs: number
  /** When the row was last read or written. */
  readAtMs: number
}

export function startDeliveryWorker(dependencies: DeliveryWorkerDependencies): DeliveryWorker {
  const { database, clock, log, warn, metrics, pulse } = dependencies
  const { workerId } = pulse
  const outcomes = new LateWrites({
    what: 'outcomes of deliveries',
    keptMs,
    refusedMs,
    maxAtOnce: lateAtOnce,
    onCount: metrics.setUnwritten,
    log,
  })
  const finishes = createFinishes({ database, clock })
  const slots = new Slots(maxInHand)
  const held = new InHand()
  const walk = new Walk(maxLines)
  const strays = new Strays()
  const grace = new Grace(pulse)
  let tookOverAtMs = Number.NEGATIVE_INFINITY
  let wanted = 0
  let gathering: NodeJS.Timeout | null = null

  const pool = new Pool<Job>({
    ownerOf: ({ due }) => due.companyId,
    run: (job) =>
      deliver({ ...dependencies, outcomes, finishes }, job.due, {
        slot: job.slot,
        isCovered: () => pulse.covers(job.heldSinceMs, attemptDeadlineMs),
        refresh: (due) => refresh(job, due),
      }),
    onError: ({ due, heldSinceMs }, error) => {
      // Before anything was handed over: it is found among what this worker holds and does not have in hand.
      strays.note(clock.nowMs() - (performance.now() - heldSinceMs))
      log('error', 'a delivery could not be begun', { delivery_id: due.deliveryId, ...describeError(error) })
    },
    onEnd: ({ due, slot }) => {
      held.remove(due.deliveryId)
      slot.release()
      // Only where somebody got less than they wanted did anything wait for this slot.
      if (walk.isShort) gather()
    },
  })

  const readAgain = coalesce<DueDelivery, DueDelivery | null>(async (dues) => {
    const standing = await readHeld(database, { workerId, span: spanAt(clock.nowMs()) }, dues)
    return dues.map(({ deliveryId }) => ({ value: standing.get(deliveryId) ?? null }))
  }, reading)

  async function refresh(job: Job, due: DueDelivery): Promise<DueDelivery | null> {
    const nowMs = performance.now()
    if (nowMs - job.readAtMs < freshMs) return due
    const fresh = await readAgain('', due)
    job.readAtMs = nowMs
    return fresh
  }

  function gather(): void {
    wanted--
    if (wanted <= 0) loop.nudge()
    else gathering ??= setTimeout(() => loop.nudge(), gatherMs)
  }

  const spanAt = (nowMs: number) => ({
    fromMs: walk.isFirst ? 0 : nowMs - lookBackMs,
    toMs: nowMs + lookAheadMs,
  })

  async function round(): Promise<boolean> {
    if (gathering) clearTimeout(gathering)
    gathering = null
    const span = spanAt(clock.nowMs())
    const lines = await listLines(database, walk.after, span, maxLines)
    grace.find(performance.now())
    await lookForTheHeld(span)
    const shares = slots.shareOut(
      lines.filter((line) => line.isDue),
      maxTaken,
    )
    const claimed = await claim(span, shares.rooms)
    metrics.setInFlight(slots.held)
    wanted = Math.ceil(slots.held / 4)
    return walk.goOn(lines, shares, claimed) || claimed.length >= maxTaken
  }

  /** If a claim fails, nobody knows what this worker holds by it, so strays are looked for. */
  function known(claim: Promise<DueDelivery[]>): Promise<DueDelivery[]> {
    const startedAtMs = clock.nowMs()
    return claim.catch((error: unknown) => {
      strays.note(startedAtMs)
      throw error
    })
  }

  async function claim(span: ReturnType<typeof spanAt>, rooms: ReturnType<Slots['shareOut']>['rooms']) {
    if (rooms.length === 0) return []
    const heldSinceMs = performance.now()
    const claimed = await known(claimDue(database, { workerId, rooms, span }))
    for (const due of claimed) start(due, slots.take(due), heldSinceMs)
    return claimed
  }

  /** Takes what workers held that died, and what this one holds without knowing. */
  async function lookForTheHeld(span: ReturnType<typeof spanAt>): Promise<void> {
    const heldSinceMs = performance.now()
    const limit = Math.min(maxTakenOver, slots.free)
    if (limit === 0) return
    // Begun at once: what is not in hand is taken for a stray.
    const startAll = (takes: readonly DueDelivery[]) => {
      for (const due of takes) {
        if (due.takenOver === 'once' || due.takenOver === 'again') metrics.countTakenOver()
        start(due, slots.take(due), heldSinceMs)
      }
    }
    if (grace.isOver(heldSinceMs) && heldSinceMs - tookOverAtMs >= takeOverEveryMs) {
      const takenOver = await known(takeOver(database, { workerId, span, limit }))
      startAll(takenOver)
      // What is left is taken over in the next round.
      if (takenOver.length < limit) tookOverAtMs = heldSinceMs
    }
    const sinceMs = strays.due(heldSinceMs)
    if (sinceMs !== null)
      startAll(await known(takeWhatIsMissing({ workerId, span, limit, held: held.names(), sinceMs })))
  }

  /** What was accepted while the database was asked is in hand by now, and no stray. */
  async function takeWhatIsMissing(look: Parameters<typeof listStrays>[1]): Promise<DueDelivery[]> {
    const listed = await listStrays(database, look)
    const missing = listed.filter(({ deliveryId }) => !held.has(deliveryId))
    return missing.length > 0 ? takeStrays(database, look, missing) : []
  }

  function start(due: DueDelivery, slot: Slot, heldSinceMs: number): void {
    held.add(due.deliveryId)
    begin(due, slot, heldSinceMs)
  }

  const begin = (due: DueDelivery, slot: Slot, heldSinceMs: number) =>
    pool.start({ due, slot, heldSinceMs, readAtMs: performance.now() })

  const handOver = createHandOver({
    workerId,
    clock,
    slots,
    held,
    walk,
    strays,
    begin,
    nudge: () => loop.nudge(),
  })

  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => {
      grace.lose()
      warn('looking for deliveries failed', error)
    },
  })
  return {
    nudge: loop.nudge,
    handOver,
    close: async () => {
      const closed = loop.close().then(() => {
        slots.close()
        return pool.drained()
      })
      await within(stopMs, closed)
      if (gathering) clearTimeout(gathering)
      outcomes.stop()
    },
  }
}
