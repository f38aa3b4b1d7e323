/**
 * Hands deliveries to their providers: many at once, with a share for each company and each account.
 *
 * Deliveries that this node accepts come from memory, as far as there is room. The table is searched for the rest:
 * retries, deliveries that other nodes have accepted, those that wait for a busy account, and those that a dead worker
 * had in hand.
 */
import {
  claimDue,
  type DueDelivery,
  type HandOver,
  listLines,
  type Shares,
  type Span,
} from '../domain/delivery/index.ts'
import type { Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { within } from '../platform/within.ts'
import { createHandOver } from './deliveries/hand-over.ts'
import { Recovery, type RecoveryDependencies } from './deliveries/recovery.ts'
import { Strays } from './deliveries/strays.ts'
import { UnderWay, type UnderWayDependencies } from './deliveries/under-way.ts'
import { maxLines, Walk } from './deliveries/walk.ts'

const pollMs = 500
const maxTaken = 500
/** A single free slot is not worth a query, but no delivery waits longer than this for more slots to become free. */
const gatherMs = 100
/** An attempt ends within 15 seconds; the rest is for writing its outcome before the process ends. */
const stopMs = 17_000

export interface DeliveryWorkerDependencies extends UnderWayDependencies, RecoveryDependencies {
  readonly warn: Warn
  readonly metrics: Pick<Metrics, 'setInFlight' | 'countTakenOver' | 'setUnwritten'>
}

export class DeliveryWorker {
  readonly handOver: HandOver
  readonly #dependencies: DeliveryWorkerDependencies
  readonly #walk = new Walk()
  readonly #strays = new Strays()
  readonly #underWay: UnderWay
  readonly #recovery: Recovery
  readonly #loop: Loop
  /** How many slots have to become free before the table is searched again because of them. */
  #toGather = 0
  #gathering: NodeJS.Timeout | null = null

  constructor(dependencies: DeliveryWorkerDependencies) {
    this.#dependencies = dependencies
    const walk = this.#walk
    const strays = this.#strays
    this.#underWay = new UnderWay(dependencies, {
      walk,
      strays,
      onEnd: () => {
        // Deliveries wait for this slot only if some line got less room than it wanted.
        if (walk.lacksSlots) this.#gather()
      },
    })
    this.#recovery = new Recovery(dependencies, this.#underWay, strays)
    const { clock, pulse, warn } = dependencies
    this.handOver = createHandOver({
      workerId: pulse.workerId,
      clock,
      underWay: this.#underWay,
      walk,
      strays,
      nudge: this.nudge,
    })
    this.#loop = startLoop({
      round: () => this.#round(),
      pollMs,
      onError: (error) => {
        this.#recovery.noteNoDatabase()
        warn('looking for deliveries failed', error)
      },
    })
  }

  /** Tells the worker that a message waits in the table. */
  readonly nudge = (): void => this.#loop.nudge()

  readonly close = async (): Promise<void> => {
    const ended = this.#loop.close().then(() => this.#underWay.drain())
    await within(stopMs, ended)
    this.#stopGathering()
    this.#underWay.stop()
  }

  async #round(): Promise<boolean> {
    this.#stopGathering()
    const { database, clock, metrics } = this.#dependencies
    const walk = this.#walk
    const { slots } = this.#underWay
    const span = walk.spanAt(clock.nowMs())
    const lines = await listLines(database, walk.after, span, maxLines)
    await this.#recovery.round(span)
    const shares = slots.shareOut(
      lines.filter((line) => line.isDue),
      maxTaken,
    )
    const claimed = await this.#claim(span, shares)
    metrics.setInFlight(slots.held)
    this.#toGather = Math.ceil(slots.held / 4)
    return walk.goOn(lines, shares, claimed) || claimed.length >= maxTaken
  }

  async #claim(span: Span, { rooms }: Shares): Promise<readonly DueDelivery[]> {
    if (rooms.length === 0) return []
    const { database, clock, pulse } = this.#dependencies
    const heldSinceMs = performance.now()
    const claim = claimDue(database, { workerId: pulse.workerId, rooms, span })
    const claimed = await this.#strays.watchClaim(clock.nowMs(), claim)
    for (const due of claimed) this.#underWay.start(due, heldSinceMs)
    return claimed
  }

  #gather(): void {
    this.#toGather--
    if (this.#toGather <= 0) this.nudge()
    else this.#gathering ??= setTimeout(this.nudge, gatherMs)
  }

  #stopGathering(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
  }
}
