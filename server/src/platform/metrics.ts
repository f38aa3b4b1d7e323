/** The metrics that the operator watches. Labels are names that the service defines, never names of people. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type AccountMetrics, accountMetrics } from './account-metrics.ts'
import { type DatabaseMetrics, databaseMetrics } from './database/metrics.ts'
import { type GuardMetrics, guardMetrics } from './guard-metrics.ts'
import { type TrafficMetrics, trafficMetrics } from './traffic-metrics.ts'

/** The metrics of one process, to be combined with those of others. */
export type MetricList = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export interface Metrics extends TrafficMetrics, AccountMetrics, DatabaseMetrics, GuardMetrics {
  readonly observeRequest: (method: string, route: string, status: number, seconds: number) => void
  readonly countAttempt: (channel: string, provider: string, outcome: string) => void
  readonly countWebhookAttempt: (outcome: 'taken' | 'failed') => void
  readonly setPausedEndpoints: (count: number) => void
  readonly setInFlight: (count: number) => void
  readonly countTakenOver: () => void
  readonly setUnwritten: (count: number) => void
  readonly countRefusal: (kind: 'send' | 'resend', rule: string) => void
  readonly countLostRefusals: (count: number) => void
  readonly setUnwrittenRefusals: (count: number) => void
  readonly watchPartitions: (daysAhead: () => number | null) => void
  readonly text: () => Promise<string>
  readonly list: () => Promise<MetricList>
  readonly contentType: string
}

/** The metrics of several processes as one text. The `aggregator` of a metric says how its values are combined. */
export const textOfLists = (lists: readonly MetricList[]): Promise<string> =>
  AggregatorRegistry.aggregate([...lists]).metrics()

/** Keeps only counters and histograms, whose sums must not decrease when a process ends. */
export const countedIn = (lists: readonly MetricList[]): Promise<MetricList> =>
  AggregatorRegistry.aggregate(
    // The type declaration says that `type` is a number, but at run time it is the name.
    lists.map((list) => list.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))),
  ).getMetricsAsJSON()

function deliveryMetrics(
  registry: Registry,
): Pick<Metrics, 'countAttempt' | 'setInFlight' | 'countTakenOver' | 'setUnwritten'> {
  const attempts = new Counter({
    name: 'countersign_delivery_attempts_total',
    help: 'Attempts to hand a message to a provider, by how they ended.',
    labelNames: ['channel', 'provider', 'outcome'],
    registers: [registry],
  })
  const inFlight = new Gauge({
    name: 'countersign_deliveries_in_flight',
    help: 'Messages that this node is handing over now.',
    registers: [registry],
  })
  const takenOver = new Counter({
    name: 'countersign_deliveries_taken_over_total',
    help: 'Messages taken over from a process that died with them: each may have left twice.',
    registers: [registry],
  })
  const unwritten = new Gauge({
    name: 'countersign_outcomes_unwritten',
    help: 'Messages whose outcome this node knows and has not been able to write yet.',
    registers: [registry],
  })
  return {
    countAttempt: (channel, provider, outcome) => attempts.inc({ channel, provider, outcome }),
    setInFlight: (count) => inFlight.set(count),
    countTakenOver: () => takenOver.inc(),
    setUnwritten: (count) => unwritten.set(count),
  }
}

function refusalMetrics(
  registry: Registry,
): Pick<Metrics, 'countRefusal' | 'countLostRefusals' | 'setUnwrittenRefusals'> {
  const refusals = new Counter({
    name: 'countersign_refusals_total',
    help: 'Sends and resends that were refused, by the rule that refused them.',
    labelNames: ['kind', 'rule'],
    registers: [registry],
  })
  const lostRefusals = new Counter({
    name: 'countersign_refusals_lost_total',
    help: 'Refusals that the database would not take, so that nothing shows them.',
    registers: [registry],
  })
  const unwrittenRefusals = new Gauge({
    name: 'countersign_refusals_unwritten',
    help: 'Refusals that this node has not been able to write yet.',
    registers: [registry],
  })
  return {
    countRefusal: (kind, rule) => refusals.inc({ kind, rule }),
    countLostRefusals: (count) => lostRefusals.inc(count),
    setUnwrittenRefusals: (count) => unwrittenRefusals.set(count),
  }
}

function webhookMetrics(registry: Registry): Pick<Metrics, 'countWebhookAttempt' | 'setPausedEndpoints'> {
  const attempts = new Counter({
    name: 'countersign_webhook_attempts_total',
    help: 'Attempts to bring an event to its endpoint.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const paused = new Gauge({
    name: 'countersign_webhook_endpoints_paused',
    help: 'Webhook endpoints that are paused, over all apps.',
    aggregator: 'max',
    registers: [registry],
  })
  return {
    countWebhookAttempt: (outcome) => attempts.inc({ outcome }),
    setPausedEndpoints: (count) => paused.set(count),
  }
}

/** How often the delay of the event loop is measured; not more often, since each measurement wakes an idle process. */
const loopDelaySampleMs = 20

let metricsOfProcess: Registry | null = null

/** Made once for the process, however many apps are in it: collectors of event loop and memory cannot be stopped. */
function getProcessMetrics(): Registry {
  if (metricsOfProcess) return metricsOfProcess
  metricsOfProcess = new Registry()
  collectDefaultMetrics({ register: metricsOfProcess, eventLoopMonitoringPrecision: loopDelaySampleMs })
  return metricsOfProcess
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const ofProcess = getProcessMetrics()
  const all = () => Registry.merge([ofProcess, registry])
  const requests = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const traffic = trafficMetrics(registry)
  return {
    ...traffic,
    ...accountMetrics(registry, traffic),
    ...deliveryMetrics(registry),
    ...refusalMetrics(registry),
    ...webhookMetrics(registry),
    ...guardMetrics(registry),
    observeRequest: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    ...databaseMetrics(registry),
    watchPartitions: (daysAhead) => {
      new Gauge({
        name: 'countersign_partition_days_ahead',
        help: 'Days after today for which every table that is cut by day has room.',
        aggregator: 'min',
        registers: [registry],
        collect() {
          const days = daysAhead()
          if (days === null) this.remove()
          else this.set(days)
        },
      })
    },
    text: () => all().metrics(),
    list: () => all().getMetricsAsJSON(),
    contentType: registry.contentType,
  }
}
