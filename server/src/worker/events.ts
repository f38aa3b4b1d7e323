/**
 * Brings events to their endpoints. What each endpoint may have under way is its own, so that a dead one is never in
 * another's way, not even in that of its own app; what all of them have room for is claimed in one go.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AppRef } from '../domain/tenancy/index.ts'
import {
  claimEvents,
  countPaused,
  createOutcomes,
  type DueEvent,
  type EndpointRef,
  expireEvents,
  listDueEndpoints,
  type Room,
  releaseAbandoned,
  type SendEventDependencies,
  sendEvent,
  skipWithoutEndpoint,
  Windows,
} from '../domain/webhooks/index.ts'
import type { Database } from '../platform/database.ts'
import { lowestId } from '../platform/ids.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { Pool } from '../platform/pool.ts'

/** How often events are looked for that this node has not made itself. */
const pollMs = 500
const maxInFlight = 800
/** From here on each endpoint has one at a time: many slow endpoints together still leave room for the others. */
const crowded = 400
const maxApps = 500
/** Of more apps than this, those that have been silent longest are forgotten: their endpoints are looked up again. */
const mostKnown = 10_000
const bite = 1_000
const releaseEveryMs = 1_000
const expireEveryMs = 15_000
/** Events that come one after the other are claimed together; none waits longer than this for others. */
const gatherMs = 15
/** The clock of the node that made an event may be before ours. */
const lookAheadMs = 3_600_000

export interface EventSender extends Omit<Loop, 'nudge'> {
  /** Says that this app has something to send; without an app, that some app may have. */
  readonly nudge: (app?: AppRef) => void
}

export interface EventSenderDependencies extends Omit<SendEventDependencies, 'outcomes'> {
  readonly database: Database
}

export function startEventSender(
  dependencies: EventSenderDependencies,
  setPaused: (count: number) => void,
): EventSender {
  const { database, clock, log } = dependencies
  const outcomes = createOutcomes(dependencies)
  const windows = new Windows()
  /** Apps that may have something to send, in the order in which they came. */
  const due = new Map<string, AppRef>()
  let claimedAtMs = Number.NEGATIVE_INFINITY
  let walkedAtMs = Number.NEGATIVE_INFINITY
  let releasedAtMs = Number.NEGATIVE_INFINITY
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let lastEndpoint: EndpointRef | null = null
  /** Endpoints of apps, as they were last seen. */
  const known = new Map<string, ReadonlySet<string>>()

  const pool = new Pool<DueEvent>({
    ownerOf: ({ endpointId }) => endpointId,
    run: (event) =>
      sendEvent({ ...dependencies, outcomes }, event, (answered) =>
        windows.note(event.endpointId, { ...answered, inFlight: pool.countOf(event.endpointId) }),
      ),
    // The lease runs out and the event is claimed again.
    onError: (event, error) =>
      log('error', 'an event could not be finished', { event_id: event.eventId, ...describeError(error) }),
    // Events of the app that waited for room may follow.
    onEnd: (event) => nudge(event),
  })

  async function round(): Promise<boolean> {
    const nowMs = performance.now()
    await tidy(nowMs)
    const isCut = nowMs - walkedAtMs >= pollMs ? await walk(nowMs) : false
    const isShort = await claim()
    return isCut || isShort
  }

  /** True when there is more to look at, or to settle, at once. */
  async function walk(nowMs: number): Promise<boolean> {
    const endpoints = await listDueEndpoints(database, lastEndpoint, maxApps)
    const isCut = endpoints.length === maxApps
    // The next round goes on where this one was cut, so that nobody is always behind.
    lastEndpoint = isCut ? (endpoints.at(-1) ?? null) : null
    let hasMore = isCut
    for (const { isThere, ...endpoint } of endpoints) {
      if (isThere) {
        know(endpoint.appId, [...endpointsOf(endpoint.appId), endpoint.endpointId])
        markDue(endpoint)
      } else if ((await skipWithoutEndpoint(database.of(endpoint.companyId), endpoint, bite)) === bite)
        hasMore = true
    }
    if (!hasMore) walkedAtMs = nowMs
    return hasMore
  }

  /** True when an endpoint was passed over because another node had its row locked. */
  async function claim(): Promise<boolean> {
    const apps = [...due.values()].filter(hasRoom).slice(0, maxApps)
    if (apps.length === 0) return false
    const earlyMs = claimedAtMs + gatherMs - performance.now()
    if (earlyMs > 0) await pause(earlyMs)
    claimedAtMs = performance.now()
    // Removed before the claim, so that an app which gets an event meanwhile is due again.
    for (const { appId } of apps) due.delete(appId)
    const full = apps.flatMap(({ appId }) => [...endpointsOf(appId)].filter(isFull))
    const { events, endpoints, passedOver } = await claimEvents(database, {
      apps,
      full,
      roomOf: makeRooms(),
      beforeId: lowestId('event', clock.nowMs() + lookAheadMs),
    })
    for (const event of events) pool.start(event)
    for (const endpoint of passedOver) markDue(endpoint)
    for (const { appId } of apps)
      know(
        appId,
        [...endpointsOf(appId)].filter((endpointId) => full.includes(endpointId)),
      )
    for (const { appId, endpointId } of endpoints) know(appId, [...endpointsOf(appId), endpointId])
    return passedOver.length > 0
  }

  /** How many of an endpoint may be under way while this many are, of all. */
  function mostOf(endpointId: string, taken: number): number {
    return taken < crowded ? windows.of(endpointId) : taken < maxInFlight ? 1 : 0
  }

  const isFull = (endpointId: string) => pool.countOf(endpointId) >= mostOf(endpointId, pool.size)

  /** An app of which no endpoint has room is due again when one of its events ends. */
  function hasRoom({ appId }: AppRef): boolean {
    if (pool.size >= maxInFlight) return false
    const endpoints = endpointsOf(appId)
    return endpoints.size === 0 || ![...endpoints].every(isFull)
  }

  function makeRooms(): (endpointId: string) => Room {
    let taken = pool.size
    return (endpointId) => {
      const wanted = Math.max(0, mostOf(endpointId, taken) - pool.countOf(endpointId))
      taken += wanted
      return { wanted, window: windows.of(endpointId) }
    }
  }

  const endpointsOf = (appId: string): ReadonlySet<string> => known.get(appId) ?? new Set()

  function know(appId: string, endpointIds: readonly string[]): void {
    known.delete(appId)
    known.set(appId, new Set(endpointIds))
    const [oldest] = known.keys()
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }

  function markDue({ companyId, appId }: AppRef): void {
    due.set(appId, { companyId, appId })
  }

  async function tidy(nowMs: number): Promise<void> {
    if (nowMs - releasedAtMs >= releaseEveryMs) {
      await releaseAbandoned(database)
      releasedAtMs = nowMs
    }
    if (nowMs - expiredAtMs >= expireEveryMs) {
      setPaused(await countPaused(database))
      // A full bite is followed by another in the next round.
      if ((await expireEvents(database, bite)) < bite) expiredAtMs = nowMs
    }
  }

  function nudge(app?: AppRef): void {
    if (app) markDue(app)
    else walkedAtMs = Number.NEGATIVE_INFINITY
    loop.nudge()
  }

  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => log('warn', 'looking for events failed', describeError(error)),
  })
  return {
    nudge,
    close: async () => {
      await loop.close()
      await pool.drained()
    },
  }
}
