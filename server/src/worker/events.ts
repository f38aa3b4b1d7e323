/**
 * Brings events to their endpoints. What each app may have under way is its own, so that one dead endpoint is never in
 * another's way; what all of them have room for is claimed in one go.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AppRef } from '../domain/tenancy/index.ts'
import {
  claimEvents,
  countPaused,
  createOutcomes,
  type DueEvent,
  expireEvents,
  listDueApps,
  type Room,
  releaseAbandoned,
  type SendEventDependencies,
  sendEvent,
  skipWithoutEndpoint,
  Windows,
} from '../domain/webhooks/index.ts'
import type { Database } from '../platform/database.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { Pool } from '../platform/pool.ts'

/** How often events are looked for that this node has not made itself. */
const pollMs = 500
const maxInFlight = 800
/** From here on each app has one at a time: many slow endpoints together still leave room for the others. */
const crowded = 400
const maxApps = 500
const bite = 1_000
const releaseEveryMs = 1_000
const expireEveryMs = 15_000
/** Events that come one after the other are claimed together; none waits longer than this for others. */
const gatherMs = 15

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
  const { database, log } = dependencies
  const outcomes = createOutcomes(dependencies)
  const windows = new Windows()
  /** Apps that may have something to send, in the order in which they came. */
  const due = new Map<string, AppRef>()
  let claimedAtMs = Number.NEGATIVE_INFINITY
  let walkedAtMs = Number.NEGATIVE_INFINITY
  let releasedAtMs = Number.NEGATIVE_INFINITY
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let lastApp: AppRef | null = null

  const pool = new Pool<DueEvent>({
    ownerOf: ({ appId }) => appId,
    run: (event) =>
      sendEvent({ ...dependencies, outcomes }, event, (answered) =>
        windows.note(event.appId, { ...answered, inFlight: pool.countOf(event.appId) }),
      ),
    // The lease runs out and the event is claimed again.
    onError: (event, error) =>
      log('error', 'an event could not be finished', { event_id: event.eventId, ...describeError(error) }),
    // Events of the app that waited for room may follow.
    onEnd: ({ companyId, appId }) => nudge({ companyId, appId }),
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
    const apps = await listDueApps(database, lastApp, maxApps)
    const isCut = apps.length === maxApps
    // The next round goes on where this one was cut, so that nobody is always behind.
    lastApp = isCut ? (apps.at(-1) ?? null) : null
    let hasMore = isCut
    for (const { companyId, appId, hasEndpoint } of apps) {
      if (hasEndpoint) due.set(appId, { companyId, appId })
      else if ((await skipWithoutEndpoint(database.of(companyId), appId, bite)) === bite) hasMore = true
    }
    if (!hasMore) walkedAtMs = nowMs
    return hasMore
  }

  /** True when an endpoint was passed over because another node had its row locked. */
  async function claim(): Promise<boolean> {
    const rooms = roomsOf([...due.values()])
    if (rooms.length === 0) return false
    const earlyMs = claimedAtMs + gatherMs - performance.now()
    if (earlyMs > 0) await pause(earlyMs)
    claimedAtMs = performance.now()
    // Removed before the claim, so that an app which gets an event meanwhile is due again.
    for (const { appId } of rooms) due.delete(appId)
    const { events, passedOver } = await claimEvents(database, rooms)
    for (const event of events) pool.start(event)
    for (const { companyId, appId } of passedOver) due.set(appId, { companyId, appId })
    return passedOver.length > 0
  }

  /** An app without room is due again when one of its events ends. */
  function roomsOf(apps: readonly AppRef[]): Room[] {
    let taken = pool.size
    return apps.slice(0, maxApps).flatMap(({ companyId, appId }) => {
      const window = windows.of(appId)
      const most = taken < crowded ? window : taken < maxInFlight ? 1 : 0
      const wanted = most - pool.countOf(appId)
      if (wanted <= 0) return []
      taken += wanted
      return [{ companyId, appId, wanted, window }]
    })
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
    if (app) due.set(app.appId, { companyId: app.companyId, appId: app.appId })
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
