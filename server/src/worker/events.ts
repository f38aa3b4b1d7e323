/** Brings events to their endpoints: app by app, so that one dead endpoint is never in another's way. */
import {
  claimEvents,
  countPaused,
  type DueEvent,
  expireEvents,
  listBusyApps,
  type SendEventDependencies,
  sendEvent,
  skipWithoutEndpoint,
} from '../domain/webhooks/index.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const pollMs = 500
const maxInFlight = 200
const maxInFlightPerApp = 10
const maxApps = 2_000
const bite = 1_000
const expireEveryMs = 15_000

export function startEventSender(
  dependencies: SendEventDependencies,
  setPaused: (count: number) => void,
): Loop {
  const { database, log } = dependencies
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let expiredAtMs = Number.NEGATIVE_INFINITY

  async function round(): Promise<boolean> {
    if (performance.now() - expiredAtMs > expireEveryMs) {
      expiredAtMs = performance.now()
      await expireEvents(database, bite)
      setPaused(await countPaused(database))
    }
    for (const appId of await listBusyApps(database, maxApps)) {
      const room = Math.min(maxInFlightPerApp - (inFlight.get(appId) ?? 0), maxInFlight - running.size)
      if (room <= 0) continue
      const claimed = await claimEvents(database, appId, room)
      if (claimed.length === 0) await skipWithoutEndpoint(database, appId, bite)
      for (const event of claimed) start(event)
    }
    return false
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
