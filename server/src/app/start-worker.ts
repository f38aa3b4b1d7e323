/** Starts the loops of a node that hands messages to providers and events to endpoints. */
import { attemptDeadlineMs, type HandOver, leftForOthers } from '../domain/delivery/index.ts'
import { ownTexts } from '../domain/members/index.ts'
import type { HealthBook } from '../domain/routing/index.ts'
import { callbackPath } from '../http/callbacks.ts'
import { parseId } from '../platform/ids.ts'
import { describeError } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import type { Pulse } from '../platform/pulse.ts'
import { within } from '../platform/within.ts'
import { accountName } from '../worker/account-health.ts'
import { startBacklogWatch } from '../worker/backlog.ts'
import { startBounces } from '../worker/bounces.ts'
import { startCanaries } from '../worker/canary.ts'
import { DeliveryWorker } from '../worker/deliveries.ts'
import { EventSender } from '../worker/events.ts'
import { startPartitionMaker } from '../worker/partitions.ts'
import { startPulse } from '../worker/pulse.ts'
import { startEarlyLooks } from '../worker/receipts.ts'
import { startUpkeep } from '../worker/upkeep.ts'
import type { Core } from './open-core.ts'
import type { Opening } from './opening.ts'

/** How other parts reach the worker of this node; workers of other nodes find their work in the tables. */
export interface Worker {
  /** Hands over messages that this node has just accepted. */
  readonly handOver: HandOver
  /** Tells the worker that a message waits in the table. */
  readonly nudge: () => void
  /** Tells the worker that an event waits. */
  readonly nudgeEvents: EventSender['nudge']
}

export const noWorker: Worker = { handOver: leftForOthers, nudge: () => {}, nudgeEvents: () => {} }

/** Calls that are being answered still create messages: workers accept new ones for at most this long. */
const takeOnMs = 2_000
const finishMs = attemptDeadlineMs + takeOnMs + 500

export async function startWorker(opening: Opening, core: Core): Promise<Worker> {
  const { options, closers } = opening
  const { pulse, close: endPulse } = startPulse(core)
  // A stage after the messages and events that depend on it.
  closers.add('connections', 'sign of life', endPulse)
  const deliveries = startDeliveries(opening, core, pulse)
  const { bounce, retentionDays } = options
  if (bounce) {
    const bounces = await startBounces(bounce, core.providers, core.receipts.put)
    closers.add('work', 'delivery reports under way', () => bounces.close())
  }
  closers.add('work', 'messages of other processes', () => options.untilOthersEnd?.(), finishMs)
  const upkeep = startUpkeep({ ...core, retentionDays })
  closers.add('work', 'upkeep', () => upkeep.close())
  const backlog = startBacklogWatch(core)
  closers.add('work', 'figures of what waits', () => backlog.close())
  startCanaryWatch(opening, core, deliveries)
  const partitions = startPartitionMaker(core)
  closers.add('work', 'partitions', () => partitions.close())
  const events = startEvents(opening, core, pulse)
  return { handOver: deliveries.handOver, nudge: deliveries.nudge, nudgeEvents: events.nudge }
}

function startCanaryWatch({ options, closers }: Opening, core: Core, { handOver }: DeliveryWorker): void {
  const { canaries: plans, canaryEverySeconds: everySeconds } = options
  if (plans.length === 0) return
  const { log } = core
  const watch = startCanaries(
    {
      ...core,
      handOver,
      countUnguarded: (error, part) =>
        log('warn', 'a part of the guard could not be asked', { part, ...describeError(error) }),
      noteRefusal: () => {},
      onApproved: () => {},
      random: Math.random,
    },
    { plans, everySeconds },
  )
  // A canary may wait a minute for a receipt, which a stop does not wait for.
  closers.add('work', 'canaries', () => within(takeOnMs, watch.close()))
}

function startDeliveries(opening: Opening, core: Core, pulse: Pulse): DeliveryWorker {
  const { options, closers } = opening
  const { publicUrl, localUrl } = options
  const earlyLooks = startEarlyLooks(core, core.warn)
  // A stage after the messages, each of which may still need a look for early receipts.
  closers.add('receipts', 'early receipts', () => earlyLooks.close())
  const deliveries = new DeliveryWorker({
    ...core,
    pulse,
    onSent: earlyLooks.add,
    callbackUrl: (providerId) =>
      `${parseId('provider', providerId) ? publicUrl : localUrl}${callbackPath(providerId)}`,
    ownTexts: ownTexts(`${publicUrl}/dashboard/sign-in`),
    countAttempt: core.metrics.countAttempt,
    countUncertain: core.metrics.countUncertain,
    health: timedHealth(core),
  })
  closers.add('work', 'messages under way', afterCalls(opening, deliveries), finishMs)
  return deliveries
}

function startEvents(opening: Opening, core: Core, pulse: Pulse): EventSender {
  const { door, metrics } = core
  const events = new EventSender({
    ...core,
    pulse,
    post: door.post,
    random: Math.random,
    countAttempt: metrics.countWebhookAttempt,
  })
  opening.closers.add('work', 'events under way', afterCalls(opening, events), finishMs)
  return events
}

/** The time to accept is measured for accepted messages only. */
const timedHealth = ({ health, metrics }: Core): Pick<HealthBook, 'attempted'> => ({
  attempted: (provider, outcome, latencyMs) => {
    health.attempted(provider, outcome, latencyMs)
    if (outcome.kind === 'accepted') metrics.observeAccept(accountName(provider), latencyMs / 1_000)
  },
})

const afterCalls =
  ({ calls }: Opening, loop: Loop) =>
  async () => {
    await within(takeOnMs, calls.close())
    await loop.close()
  }
