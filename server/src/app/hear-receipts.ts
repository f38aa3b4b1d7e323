/** What follows from a receipt besides the change of the delivery: for the account, the route, metrics and traces. */
import type { Circuits, ReceiptDependencies } from '../domain/delivery/index.ts'
import type { HealthBook, Listeners, RouteBook } from '../domain/routing/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Tracer } from '../platform/trace.ts'
import { accountName } from '../worker/account-health.ts'

interface HearDependencies {
  readonly findListener: Listeners['findListener']
  readonly clock: Clock
  readonly circuits: Circuits
  readonly health: HealthBook
  readonly metrics: Metrics
  readonly tracer: Tracer | null
  readonly routeBook: RouteBook
  readonly log: Log
}

export function hearReceipts(dependencies: HearDependencies): ReceiptDependencies['onApplied'] {
  const { clock, circuits, health, metrics, tracer, routeBook, log } = dependencies
  return ({ isReply, isDelivered, error, ms, otpId, deliveryId, ...route }) => {
    const { providerId } = route
    const provider = dependencies.findListener(providerId)
    health.received(provider, isDelivered, ms)
    const fault = error && provider?.account.faultOf?.(error)
    if (fault) {
      const isBroken = fault === 'broken'
      circuits.blamed(providerId, clock.nowMs(), isBroken)
      health.blamed(provider, error, isBroken)
      if (isBroken && circuits.isNews(providerId, clock.nowMs()))
        log('error', 'a provider account is broken', { provider: providerId, reason: error.code })
    }
    if (!isReply) routeBook.received(route, isDelivered, ms, clock.nowMs())
    tracer?.record({
      subject: otpId,
      name: 'receipt',
      kind: 'internal',
      durationMs: ms ?? 0,
      isError: !isDelivered,
      attributes: {
        'countersign.delivery_id': deliveryId,
        'countersign.account': providerId,
        'countersign.outcome': isDelivered ? 'delivered' : 'failed',
      },
    })
    if (provider && isDelivered && ms !== null) metrics.observeReceipt(accountName(provider), ms / 1_000)
  }
}
