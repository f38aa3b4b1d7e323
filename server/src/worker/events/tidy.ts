/**
 * What the sender of events does besides sending: releases events that nobody sends any more, and expires those that
 * waited too long.
 */
import { countPaused, expireEvents, releaseAbandoned } from '../../domain/webhooks/index.ts'
import type { Database } from '../../platform/database.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Pulse } from '../../platform/pulse.ts'
import { Grace } from '../grace.ts'

const releaseEveryMs = 1_000
const expireEveryMs = 15_000
const eventsAtOnce = 1_000

export interface TidyDependencies {
  readonly database: Database
  readonly pulse: Pulse
  readonly metrics: Pick<Metrics, 'setPausedEndpoints' | 'countEventsTakenOver'>
}

export class Tidy {
  readonly #dependencies: TidyDependencies
  readonly #grace: Grace
  #releasedAtMs = Number.NEGATIVE_INFINITY
  #expiredAtMs = Number.NEGATIVE_INFINITY

  constructor(dependencies: TidyDependencies) {
    this.#dependencies = dependencies
    this.#grace = new Grace(dependencies.pulse)
  }

  noteNoDatabase(): void {
    this.#grace.noteNoDatabase()
  }

  async round(nowMs: number, namesInHand: () => string[]): Promise<void> {
    if (nowMs - this.#releasedAtMs >= releaseEveryMs) {
      await this.#release(nowMs, namesInHand())
      this.#releasedAtMs = nowMs
    }
    // If as many as `eventsAtOnce` have expired, there may be more, and the next round continues.
    if (nowMs - this.#expiredAtMs >= expireEveryMs && (await this.#expire()) < eventsAtOnce)
      this.#expiredAtMs = nowMs
  }

  async #release(nowMs: number, names: string[]): Promise<void> {
    const { database, pulse, metrics } = this.#dependencies
    this.#grace.noteDatabase(nowMs)
    const mayTakeOver = this.#grace.isOver(nowMs)
    const released = await releaseAbandoned(database, { workerId: pulse.workerId, names, mayTakeOver })
    metrics.countEventsTakenOver(released)
  }

  async #expire(): Promise<number> {
    const { database, metrics } = this.#dependencies
    metrics.setPausedEndpoints(await countPaused(database))
    return expireEvents(database, eventsAtOnce)
  }
}
