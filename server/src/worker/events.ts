/**
 * Sends events to their endpoints. The number of events under way is bounded for each endpoint, so that a dead one
 * never delays another, not even one of the same app. One statement claims for all of them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AppRef } from '../domain/tenancy/index.ts'
import {
  type Claims,
  claimEvents,
  type DueEvent,
  type EndpointRef,
  listDueEndpoints,
  skipWithoutEndpoint,
} from '../domain/webhooks/index.ts'
import { lowestId } from '../platform/ids.ts'
import type { Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { within } from '../platform/within.ts'
import { DueApps } from './events/due-apps.ts'
import { KnownEndpoints } from './events/known-endpoints.ts'
import { Rooms } from './events/rooms.ts'
import { Tidy, type TidyDependencies } from './events/tidy.ts'
import { UnderWay, type UnderWayDependencies } from './events/under-way.ts'

/** How often to look for events that this node has not made itself. */
const pollMs = 500
const maxApps = 500
const maxEndpoints = 500
const maxSkipped = 1_000
/** An attempt ends within ten seconds; the rest is for writing its outcome before the process ends. */
const stopMs = 15_000
/** Events that come shortly after each other are claimed together; none waits longer than this for others. */
const gatherMs = 15
/** The clock of the node that made an event may be ahead of ours. */
const lookAheadMs = 3_600_000
/**
 * Older events are claimed only after a walk, and as long as the last claim found some: every day that is kept is one
 * more partition to search, and nearly always has none.
 */
const recentMs = 48 * 3_600_000

export interface EventSenderDependencies extends UnderWayDependencies, TidyDependencies {
  readonly warn: Warn
}

export class EventSender {
  readonly #dependencies: EventSenderDependencies
  readonly #underWay: UnderWay
  readonly #rooms: Rooms
  readonly #known = new KnownEndpoints()
  readonly #due: DueApps
  readonly #tidy: Tidy
  readonly #loop: Loop
  #claimedAtMs = Number.NEGATIVE_INFINITY
  #walkedAtMs = Number.NEGATIVE_INFINITY
  /** The endpoint at which the walk stopped; null when it starts from the beginning. */
  #lastEndpoint: EndpointRef | null = null
  #mayHaveOld = true

  constructor(dependencies: EventSenderDependencies) {
    this.#dependencies = dependencies
    this.#underWay = new UnderWay(dependencies, {
      onAnswer: (endpointId, answered) => this.#rooms.noteAnswer(endpointId, answered),
      onEnd: (event) => this.#followUp(event),
    })
    this.#rooms = new Rooms(this.#underWay)
    this.#due = new DueApps(() => this.#loop.nudge())
    this.#tidy = new Tidy(dependencies)
    this.#loop = startLoop({
      round: () => this.#round(),
      pollMs,
      onError: (error) => {
        this.#tidy.noteNoDatabase()
        dependencies.warn('looking for events failed', error)
      },
    })
  }

  /** Tells the sender that this app has events to send or, without an app, that some app may have. */
  readonly nudge = (app?: AppRef): void => {
    if (app) this.#due.add(app)
    else this.#walkedAtMs = Number.NEGATIVE_INFINITY
    this.#loop.nudge()
  }

  readonly close = async (): Promise<void> => {
    const ended = this.#loop.close().then(() => this.#underWay.drained())
    await within(stopMs, ended)
    this.#due.stop()
    this.#underWay.stop()
  }

  async #round(): Promise<boolean> {
    const nowMs = performance.now()
    await this.#tidy.round(nowMs, () => this.#underWay.names())
    const isWalk = nowMs - this.#walkedAtMs >= pollMs
    const isCut = isWalk ? await this.#walk(nowMs) : false
    if (isWalk) this.#mayHaveOld = true
    const wasPassedOver = await this.#claim()
    return isCut || wasPassedOver
  }

  /** True if there is more to look at, or to skip, at once. */
  async #walk(nowMs: number): Promise<boolean> {
    const { database } = this.#dependencies
    const endpoints = await listDueEndpoints(database, this.#lastEndpoint, maxEndpoints)
    const isCut = endpoints.length === maxEndpoints
    // The next round continues where this one stopped, so that nobody is always last.
    this.#lastEndpoint = isCut ? (endpoints.at(-1) ?? null) : null
    let hasMore = isCut
    for (const { isThere, ...endpoint } of endpoints) {
      if (isThere) {
        this.#known.add(endpoint.appId, endpoint.endpointId)
        this.#due.add(endpoint)
      } else {
        const skipped = await skipWithoutEndpoint(database.of(endpoint.companyId), endpoint, maxSkipped)
        if (skipped === maxSkipped) hasMore = true
      }
    }
    if (!hasMore) this.#walkedAtMs = nowMs
    return hasMore
  }

  /** True if an endpoint was passed over because another node had locked its row. */
  async #claim(): Promise<boolean> {
    // An app whose endpoints have no room becomes due again when one of its events ends.
    const apps = this.#due
      .list()
      .filter(({ appId }) => this.#rooms.isAnyFree(this.#known.of(appId)))
      .slice(0, maxApps)
    if (apps.length === 0) return false
    const earlyMs = this.#claimedAtMs + gatherMs - performance.now()
    if (earlyMs > 0) await pause(earlyMs)
    this.#claimedAtMs = performance.now()
    // Removed before the claim, so that an app that gets an event meanwhile is due again.
    this.#due.remove(apps)
    const full = this.#fullOf(apps)
    const heldSinceMs = performance.now()
    const claims = await this.#claimFor(apps, full)
    this.#known.noteClaim(apps, full, claims)
    for (const event of claims.events) this.#underWay.start(event, heldSinceMs)
    for (const endpoint of claims.passedOver) this.#due.add(endpoint)
    return claims.passedOver.length > 0
  }

  #fullOf(apps: readonly AppRef[]): ReadonlySet<string> {
    const endpointIds = apps.flatMap(({ appId }) => [...this.#known.of(appId)])
    return new Set(endpointIds.filter((endpointId) => this.#rooms.isFull(endpointId)))
  }

  async #claimFor(apps: readonly AppRef[], full: ReadonlySet<string>): Promise<Claims> {
    const { database, clock, pulse } = this.#dependencies
    const nowMs = clock.nowMs()
    const recentId = lowestId('event', nowMs - recentMs)
    const claims = await claimEvents(database, {
      workerId: pulse.workerId,
      apps,
      full: [...full],
      roomOf: this.#rooms.giveOut(),
      ids: {
        fromId: this.#mayHaveOld ? '' : recentId,
        beforeId: lowestId('event', nowMs + lookAheadMs),
      },
    })
    this.#mayHaveOld = claims.events.some(({ eventId }) => eventId < recentId)
    return claims
  }

  /**
   * Claims at once if events may wait for the room that is free now: retries get less room than first attempts, and
   * everything waits for a probe.
   */
  #followUp(event: DueEvent): void {
    const mayFollow = !this.#known.isEmptied(event.endpointId) || event.attempt > 1 || event.isProbe
    if (mayFollow) this.nudge(event)
    else this.#due.addSoon(event)
  }
}
