/** Hands queued deliveries to their providers: many at once, few per account, so that a slow one delays nobody else. */
import { type DeliverDependencies, type DueDelivery, deliver, takeDue } from '../domain/delivery/index.ts'
import { describeError } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'

const pollMs = 500
const maxInFlight = 500
const maxInFlightPerProvider = 25
const maxTaken = 25
/** Codes live for minutes; the first round looks at everything, for what an outage left. */
const lookBackMs = 2 * 86_400_000

export interface DeliveryWorker extends Loop {}

export function startDeliveryWorker(
  dependencies: DeliverDependencies,
  metrics: Pick<Metrics, 'setInFlight'>,
): DeliveryWorker {
  const { database, clock, log } = dependencies
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  /** Until a round that left nobody out finds less than it could take. */
  let isFirst = true

  async function round(): Promise<boolean> {
    const free = Math.min(maxTaken, maxInFlight - running.size)
    if (free <= 0) return false
    const busyProviders = [...inFlight]
      .filter(([, count]) => count >= maxInFlightPerProvider)
      .map(([id]) => id)
    const sinceMs = isFirst ? 0 : clock.nowMs() - lookBackMs
    const due = await takeDue(database, { limit: free, busyProviders, sinceMs })
    isFirst = isFirst && (due.length === free || busyProviders.length > 0)
    for (const delivery of due) start(delivery)
    metrics.setInFlight(running.size)
    return due.length === free
  }

  function start(delivery: DueDelivery): void {
    const { providerId } = delivery
    inFlight.set(providerId, (inFlight.get(providerId) ?? 0) + 1)
    const work = deliver(dependencies, delivery)
      .catch((error: unknown) => {
        // The lease runs out and the delivery is taken again.
        log('error', 'a delivery could not be finished', {
          delivery_id: delivery.deliveryId,
          ...describeError(error),
        })
      })
      .finally(() => {
        running.delete(work)
        const left = (inFlight.get(providerId) ?? 1) - 1
        if (left > 0) inFlight.set(providerId, left)
        else inFlight.delete(providerId)
        // Only when it was full did anything wait for this slot.
        if (left + 1 >= maxInFlightPerProvider || running.size + 1 >= maxInFlight) loop.nudge()
      })
    running.add(work)
  }

  const loop = startLoop({
    round,
    pollMs,
    onError: (error) => log('warn', 'looking for deliveries failed', describeError(error)),
  })
  return {
    nudge: loop.nudge,
    close: async () => {
      await loop.close()
      await Promise.all(running)
    },
  }
}
