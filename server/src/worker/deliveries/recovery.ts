/** Takes over deliveries of dead workers, and those that this worker holds without knowing it. */
import { type DueDelivery, listStrays, type Span, takeOver, takeStrays } from '../../domain/delivery/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Pulse } from '../../platform/pulse.ts'
import { Grace } from '../grace.ts'
import type { Strays } from './strays.ts'
import type { UnderWay } from './under-way.ts'

const takeOverEveryMs = 2_000
const maxTakenOver = 200

export interface RecoveryDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly pulse: Pulse
  readonly metrics: Pick<Metrics, 'countTakenOver'>
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies
  readonly #underWay: UnderWay
  readonly #strays: Strays
  readonly #grace: Grace
  #tookOverAtMs = Number.NEGATIVE_INFINITY

  constructor(dependencies: RecoveryDependencies, underWay: UnderWay, strays: Strays) {
    this.#dependencies = dependencies
    this.#underWay = underWay
    this.#strays = strays
    this.#grace = new Grace(dependencies.pulse)
  }

  noteNoDatabase(): void {
    this.#grace.noteNoDatabase()
  }

  /** Called when the database has just answered. */
  async round(span: Span): Promise<void> {
    const nowMs = performance.now()
    this.#grace.noteDatabase(nowMs)
    const limit = Math.min(maxTakenOver, this.#underWay.slots.free)
    if (limit === 0) return
    if (this.#grace.isOver(nowMs) && nowMs - this.#tookOverAtMs >= takeOverEveryMs)
      await this.#takeOver(nowMs, span, limit)
    const sinceMs = this.#strays.due(nowMs)
    if (sinceMs !== null) await this.#takeStrays(nowMs, span, limit, sinceMs)
  }

  async #takeOver(nowMs: number, span: Span, limit: number): Promise<void> {
    const { database, clock, pulse } = this.#dependencies
    const claim = takeOver(database, { workerId: pulse.workerId, span, limit })
    const taken = await this.#strays.watchClaim(clock.nowMs(), claim)
    this.#start(taken, nowMs)
    // If the limit was reached, the next round takes over more.
    if (taken.length < limit) this.#tookOverAtMs = nowMs
  }

  async #takeStrays(nowMs: number, span: Span, limit: number, sinceMs: number): Promise<void> {
    const { database, clock, pulse } = this.#dependencies
    const { held } = this.#underWay
    const look = { workerId: pulse.workerId, span, limit, held: held.names(), sinceMs }
    const claim = async () => {
      const listed = await listStrays(database, look)
      // Deliveries that were accepted while the query ran are in hand by now, and are no strays.
      const missing = listed.filter(({ deliveryId }) => held.of(deliveryId) === 0)
      return missing.length > 0 ? takeStrays(database, look, missing) : []
    }
    this.#start(await this.#strays.watchClaim(clock.nowMs(), claim()), nowMs)
  }

  /** Call this right after a claim: deliveries that are held and not in hand count as strays. */
  #start(taken: readonly DueDelivery[], heldSinceMs: number): void {
    for (const due of taken) {
      if (due.takenOver === 'once' || due.takenOver === 'again') this.#dependencies.metrics.countTakenOver()
      this.#underWay.start(due, heldSinceMs)
    }
  }
}
