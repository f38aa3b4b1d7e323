/**
 * What passes through the service, where it waits, and how its resources are used. Countries are labels, since there
 * are few; apps and companies are not, since there may be any number.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface TrafficMetrics {
  /** Counts sends and resends that were accepted. */
  readonly countSend: (kind: 'send' | 'resend', channel: string, country: string | null) => void
  readonly countApproval: (channel: string, country: string | null) => void
  /** How long a provider took to accept a message. */
  readonly observeAccept: (account: AccountLabels, seconds: number) => void
  /** The time from the provider's acceptance to its receipt for a delivered message. */
  readonly observeReceipt: (account: AccountLabels, seconds: number) => void
  /** Drops the times of all other accounts. */
  readonly keepTimesOf: (accounts: ReadonlySet<string>) => void
  readonly countUncertain: (channel: string) => void
  readonly countEventsTakenOver: (count: number) => void
  readonly observeBatch: (batch: 'send' | 'verify', size: number, seconds: number) => void
  readonly setBacklog: (backlog: Backlog) => void
  readonly watchPools: (read: () => readonly PoolState[]) => void
  /** All known results; a canary that is not among them is forgotten. */
  readonly setCanaries: (results: readonly CanaryResult[]) => void
}

export interface AccountLabels {
  readonly account: string
  readonly channel: string
  /** The kind of the provider, such as `twilio`. */
  readonly provider: string
}

export interface Waiting {
  readonly count: number
  /** The age of the one that has waited longest. */
  readonly ageSeconds: number
}

export interface Backlog {
  readonly deliveries: Waiting
  readonly events: Waiting
  /** How many events wait for paused endpoints. */
  readonly held: number
  /** How many metered companies have next to nothing left. */
  readonly lowBalances: number
}

export interface PoolState {
  readonly name: string
  readonly busy: number
  readonly idle: number
  /** How many callers wait for a connection. */
  readonly waiting: number
}

interface CanaryResult {
  readonly account: string
  /** Whether some node still runs it; if not, only the time of its last end is reported. */
  readonly isRun: boolean
  readonly isOk: boolean
  /** Only the steps that were reached. */
  readonly steps: readonly { readonly name: string; readonly ms: number }[]
  readonly atMs: number
}

/** A message to a phone number has a country; mail has none. */
const countryOf = (country: string | null) => country ?? 'none'

export const accountLabels = ['account', 'channel', 'provider'] as const

function passing(registry: Registry) {
  const registers = [registry]
  return {
    sends: new Counter({
      name: 'countersign_sends_total',
      help: 'Sends and resends that were accepted.',
      labelNames: ['kind', 'channel', 'country'],
      registers,
    }),
    approvals: new Counter({
      name: 'countersign_approvals_total',
      help: 'Verifications that were approved, by the channel and country of their last message.',
      labelNames: ['channel', 'country'],
      registers,
    }),
    accept: new Histogram({
      name: 'countersign_delivery_accept_seconds',
      help: 'Time that a provider account took to take a message.',
      labelNames: accountLabels,
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    receipt: new Histogram({
      name: 'countersign_delivery_receipt_seconds',
      help: 'Time from a provider account taking a message to its word that it arrived.',
      labelNames: accountLabels,
      buckets: [1, 2.5, 5, 10, 30, 60, 300, 1_800],
      registers,
    }),
    uncertain: new Counter({
      name: 'countersign_deliveries_uncertain_total',
      help: 'Messages of which nobody knows whether they left: none of them is handed over again.',
      labelNames: ['channel'],
      registers,
    }),
    eventsTakenOver: new Counter({
      name: 'countersign_events_taken_over_total',
      help: 'Events taken over from a process that died with them: each may have arrived twice.',
      registers,
    }),
    batchSize: new Histogram({
      name: 'countersign_batch_calls',
      help: 'Calls that were decided together in one transaction.',
      labelNames: ['batch'],
      buckets: [1, 2, 5, 10, 25, 50, 100, 200],
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'countersign_batch_seconds',
      help: 'Time of such a transaction.',
      labelNames: ['batch'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
  }
}

/** Every worker reads the same figures from the database, so the highest value is taken, not the sum. */
function waiting(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, aggregator: 'max', registers: [registry] })
  return {
    deliveries: gauge('countersign_deliveries_waiting', 'Messages that no provider has taken yet.'),
    deliveryAge: gauge('countersign_deliveries_oldest_seconds', 'Age of the oldest of these messages.'),
    events: gauge(
      'countersign_events_waiting',
      'Events that have not arrived yet, without those of paused endpoints.',
    ),
    eventAge: gauge('countersign_events_oldest_seconds', 'Age of the oldest of these events.'),
    held: gauge('countersign_events_held', 'Events that wait for a paused endpoint.'),
    lowBalances: gauge(
      'countersign_companies_low_balance',
      'Metered companies with apps whose balance is nearly used up.',
    ),
  }
}

function canary(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({
      name,
      help,
      labelNames: ['account', ...labelNames],
      aggregator: 'max',
      registers: [registry],
    })
  return {
    ok: gauge('countersign_canary_ok', '1 if the last canary came back, 0 if a step of it failed.'),
    at: gauge('countersign_canary_last_seconds', 'When the last canary ended, as a Unix time.'),
    step: gauge('countersign_canary_step_seconds', 'How long the steps of the last canary took.', 'step'),
  }
}

function watchPools(registry: Registry, read: () => readonly PoolState[]): void {
  new Gauge({
    name: 'countersign_database_connections',
    help: 'Connections to the database that are in use, idle, or waited for.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const { name: pool, busy, idle, waiting } of read()) {
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
}

export function trafficMetrics(registry: Registry): TrafficMetrics {
  const passed = passing(registry)
  const waits = waiting(registry)
  const canaries = canary(registry)
  const timed = new Map<string, AccountLabels>()
  const observe = (times: Histogram<keyof AccountLabels>, account: AccountLabels, seconds: number) => {
    timed.set(`${account.account} ${account.channel} ${account.provider}`, account)
    times.observe({ ...account }, seconds)
  }
  return {
    countSend: (kind, channel, country) => passed.sends.inc({ kind, channel, country: countryOf(country) }),
    countApproval: (channel, country) => passed.approvals.inc({ channel, country: countryOf(country) }),
    observeAccept: (account, seconds) => observe(passed.accept, account, seconds),
    observeReceipt: (account, seconds) => observe(passed.receipt, account, seconds),
    keepTimesOf: (accounts) => {
      for (const [name, account] of timed) {
        if (accounts.has(account.account)) continue
        timed.delete(name)
        passed.accept.remove({ ...account })
        passed.receipt.remove({ ...account })
      }
    },
    countUncertain: (channel) => passed.uncertain.inc({ channel }),
    countEventsTakenOver: (count) => passed.eventsTakenOver.inc(count),
    observeBatch: (batch, size, seconds) => {
      passed.batchSize.observe({ batch }, size)
      passed.batchSeconds.observe({ batch }, seconds)
    },
    setBacklog: ({ deliveries, events, held, lowBalances }) => {
      waits.deliveries.set(deliveries.count)
      waits.deliveryAge.set(deliveries.ageSeconds)
      waits.events.set(events.count)
      waits.eventAge.set(events.ageSeconds)
      waits.held.set(held)
      waits.lowBalances.set(lowBalances)
    },
    watchPools: (read) => watchPools(registry, read),
    setCanaries: (results) => {
      for (const gauge of Object.values(canaries)) gauge.reset()
      for (const { account, isOk, isRun, steps, atMs } of results) {
        canaries.at.set({ account }, atMs / 1_000)
        if (!isRun) continue
        canaries.ok.set({ account }, isOk ? 1 : 0)
        for (const { name, ms } of steps) canaries.step.set({ account, step: name }, ms / 1_000)
      }
    },
  }
}
