/** Brings events to their endpoints: app by app, so that one dead endpoint is never in another's way. */

import type { AppRef } from '../domain/tenancy/index.ts'
import {
  claimEvents,
  countPaused,
  type DueEvent,
  expireEvents,
  listDueApps,
  releaseAbandoned,
  type SendEventDependencies,
  sendEvent,
  skipWithoutEndpoint,
} from '../domain/webhooks/index.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const pollMs = 500
const maxInFlight = 400
const maxInFlightPerApp = 10
/** From here on each app has one at a time: many slow endpoints together still leave room for the others. */
const crowded = 200
const maxApps = 500
const bite = 1_000
const releaseEveryMs = 1_000
const expireEveryMs = 15_000

export function startEventSender(
  dependencies: SendEventDependencies,
  setPaused: (count: number) => void,
): Loop {
  const { database, log } = dependencies
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let releasedAtMs = Number.NEGATIVE_INFINITY
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let lastApp: AppRef | null = null

  async function round(): Promise<boolean> {
    await tidy(performance.now())
    const apps = await listDueApps(database, lastApp, maxApps)
    const isCut = apps.length === maxApps
    // The next round goes on where this one was cut, so that nobody is always behind.
    lastApp = isCut ? (apps.at(-1) ?? null) : null
    let hasMore = isCut
    for (const app of apps) {
      const room = roomFor(app.appId)
      if (room <= 0) continue
      const claimed = await claimEvents(database, app, room)
      if (claimed.length === 0)
        hasMore = (await skipWithoutEndpoint(database.of(app.companyId), app.appId, bite)) === bite || hasMore
      for (const event of claimed) start(event)
    }
    return hasMore
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

  function roomFor(appId: string): number {
    const most = running.size < crowded ? maxInFlightPerApp : running.size < maxInFlight ? 1 : 0
    return most - (inFlight.get(appId) ?? 0)
  }

  function start(event: DueEvent): void {
    const { appId } = event
    inFlight.set(appId, (inFlight.get(appId) ?? 0) + 1)
    const work = sendEvent(dependencies, event)
      .catch((error: unknown) => {
        // The lease runs out and the event is claimed again.
        log('error', 'an event could not be finished', { event_id: event.eventId, ...describeError(error) })
      })
      .finally(() => {
        running.delete(work)
        const left = (inFlight.get(appId) ?? 1) - 1
        if (left > 0) inFlight.set(appId, left)
        else inFlight.delete(appId)
        loop.nudge()
      })
    running.add(work)
  }

  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => log('warn', 'looking for events failed', describeError(error)),
  })
  return {
    nudge: loop.nudge,
    close: async () => {
      await loop.close()
      await Promise.all(running)
    },
  }
}
