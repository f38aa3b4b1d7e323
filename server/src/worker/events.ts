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
  nameOf,
  type Room,
  releaseAbandoned,
  type SendEventDependencies,
  sendEvent,
  skipWithoutEndpoint,
  Windows,
} from '../domain/webhooks/index.ts'
import type { Database } from '../platform/database.ts'
import { lowestId } from '../platform/ids.ts'
import { LateWrites } from '../platform/late-writes.ts'
import { describeError, type Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { Pool } from '../platform/pool.ts'
import type { Pulse } from '../platform/pulse.ts'
import { within } from '../platform/within.ts'
import { Grace } from './grace.ts'
import { InHand } from './in-hand.ts'
import { KnownEndpoints } from './known-endpoints.ts'
import { untilWritten } from './late-outcomes.ts'

/** How often events are looked for that this node has not made itself. */
const pollMs = 500
const maxInFlight = 800
/** From here on each endpoint has one at a time: many slow endpoints together still leave room for the others. */
const crowded = 400
const maxApps = 500
const bite = 1_000
const releaseEveryMs = 1_000
const expireEveryMs = 15_000
/** The ten seconds of a call, and as long again for what a busy machine puts between. */
const attemptMs = 12_000
/** Attempts under way end in ten seconds; what is left is for writing how they ended, before the process is ended. */
const stopMs = 15_000
/** While the database is away nothing else can be done, so outcomes are kept until it is back. */
const keptMs = 24 * 3_600_000
const refusedMs = 15 * 60_000
/** Those that were taken are written in batches, so this is not a number of statements. */
const lateAtOnce = 50
/** Events that come one after the other are claimed together; none waits longer than this for others. */
const gatherMs = 15
/**
 * Where nothing was left waiting, nothing follows at once when an event ends: others may have made one meanwhile, and
 * they are looked for all at once.
 */
const idleGatherMs = 100
/** The clock of the node that made an event may be before ours. */
const lookAheadMs = 3_600_000
/**
 * What is older is claimed after the walk that has found it, and as long as there is more of it: every day that is kept
 * is a table to look into, and nearly always there is nothing.
 */
const recentMs = 48 * 3_600_000

export interface EventSender extends Omit<Loop, 'nudge'> {
  /** Says that this app has something to send; without an app, that some app may have. */
  readonly nudge: (app?: AppRef) => void
}

export interface EventSenderDependencies extends Omit<SendEventDependencies, 'outcomes'> {
  readonly database: Database
  readonly warn: Warn
  /** Of this process; it goes on until what is in hand has ended. */
  readonly pulse: Pulse
}

interface Job {
  readonly event: DueEvent
  /** When the lease began, or a moment earlier. */
  readonly heldSinceMs: number
}

export function startEventSender(
  dependencies: EventSenderDependencies,
  metrics: Pick<Metrics, 'setPausedEndpoints' | 'countEventsTakenOver'>,
): EventSender {
  const { database, clock, log, warn, pulse } = dependencies
  const late = new LateWrites({ what: 'outcomes of events', keptMs, refusedMs, maxAtOnce: lateAtOnce, log })
  const outcomes = untilWritten(createOutcomes(dependencies), late)
  const grace = new Grace(pulse)
  /** What is being sent, with what is to be written of it. */
  const held = new InHand()
  const windows = new Windows()
  /** Apps that may have something to send, in the order in which they came. */
  const due = new Map<string, AppRef>()
  let claimedAtMs = Number.NEGATIVE_INFINITY
  let walkedAtMs = Number.NEGATIVE_INFINITY
  let releasedAtMs = Number.NEGATIVE_INFINITY
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let lastEndpoint: EndpointRef | null = null
  let mayHaveOld = true
  const known = new KnownEndpoints()
  /** Apps of which events have ended since the last claim, where nothing was left waiting. */
  const dueSoon = new Map<string, AppRef>()
  let soon: NodeJS.Timeout | null = null

  const pool = new Pool<Job>({
    ownerOf: ({ event }) => event.endpointId,
    run: async ({ event, heldSinceMs }) => {
      // Too late to be sure that nobody else sends it meanwhile: it waits again when its lease is over.
      if (!pulse.covers(heldSinceMs, attemptMs)) return
      await sendEvent({ ...dependencies, outcomes }, event, (answered) =>
        windows.note(event.endpointId, {
          ...answered,
          inFlight: pool.countOf(event.endpointId),
        }),
      )
    },
    // Before anything was sent: the lease runs out and the event is claimed again.
    onError: ({ event }, error) =>
      log('error', 'an event could not be sent', { event_id: event.eventId, ...describeError(error) }),
    onEnd: ({ event }) => {
      held.remove(nameOf(event))
      // Events that waited for room may follow; retries have less room than others, and a probe is waited for by all.
      if (!known.isEmptied(event.endpointId) || event.attempt > 1 || event.isProbe) nudge(event)
      else nudgeSoon(event)
    },
  })

  function start(event: DueEvent, heldSinceMs: number): void {
    held.add(nameOf(event))
    pool.start({ event, heldSinceMs })
  }

  async function round(): Promise<boolean> {
    const nowMs = performance.now()
    await tidy(nowMs)
    const isWalk = nowMs - walkedAtMs >= pollMs
    const isCut = isWalk ? await walk(nowMs) : false
    if (isWalk) mayHaveOld = true
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
        known.add(endpoint.appId, endpoint.endpointId)
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
    for (const { appId } of apps) {
      due.delete(appId)
      dueSoon.delete(appId)
    }
    const full = apps.flatMap(({ appId }) => [...known.of(appId)].filter(isFull))
    const heldSinceMs = performance.now()
    const recentId = lowestId('event', clock.nowMs() - recentMs)
    const claims = await claimEvents(database, {
      workerId: pulse.workerId,
      apps,
      full,
      roomOf: makeRooms(),
      ids: {
        fromId: mayHaveOld ? '' : recentId,
        beforeId: lowestId('event', clock.nowMs() + lookAheadMs),
      },
    })
    const { events, endpoints, passedOver } = claims
    mayHaveOld = events.some(({ eventId }) => eventId < recentId)
    for (const { endpointId } of endpoints) known.noteEmptied(endpointId, claims.emptied.has(endpointId))
    for (const endpointId of full) known.noteEmptied(endpointId, false)
    for (const event of events) start(event, heldSinceMs)
    for (const endpoint of passedOver) markDue(endpoint)
    for (const { appId } of apps)
      known.set(
        appId,
        [...known.of(appId)].filter((endpointId) => full.includes(endpointId)),
      )
    for (const { appId, endpointId } of endpoints) known.add(appId, endpointId)
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
    const endpoints = known.of(appId)
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

  function markDue({ companyId, appId }: AppRef): void {
    due.set(appId, { companyId, appId })
  }

  async function tidy(nowMs: number): Promise<void> {
    if (nowMs - releasedAtMs >= releaseEveryMs) {
      grace.find(nowMs)
      const released = await releaseAbandoned(database, {
        workerId: pulse.workerId,
        names: held.names(),
        mayTakeOver: grace.isOver(nowMs),
      })
      metrics.countEventsTakenOver(released)
      releasedAtMs = nowMs
    }
    if (nowMs - expiredAtMs >= expireEveryMs) {
      metrics.setPausedEndpoints(await countPaused(database))
      // A full bite is followed by another in the next round.
      if ((await expireEvents(database, bite)) < bite) expiredAtMs = nowMs
    }
  }

  /** Whatever else is due meanwhile is claimed at once, and takes it along. */
  function nudgeSoon({ companyId, appId }: AppRef): void {
    dueSoon.set(appId, { companyId, appId })
    if (due.size > 0) loop.nudge()
    soon ??= setTimeout(() => {
      soon = null
      for (const app of dueSoon.values()) nudge(app)
      dueSoon.clear()
    }, idleGatherMs).unref()
  }

  function nudge(app?: AppRef): void {
    if (app) markDue(app)
    else walkedAtMs = Number.NEGATIVE_INFINITY
    loop.nudge()
  }

  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => {
      grace.lose()
      warn('looking for events failed', error)
    },
  })
  return {
    nudge,
    close: async () => {
      await within(
        stopMs,
        loop.close().then(() => pool.drained()),
      )
      if (soon) clearTimeout(soon)
      late.stop()
    },
  }
}
