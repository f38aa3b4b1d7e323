/** Metrics of the guard: what it goes on without, alarms over wrong codes, and the lists of addresses. */
import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'

export interface GuardMetrics {
  readonly countUnguarded: (part: GuardPart) => void
  readonly setGuessAlarms: (count: number) => void
  readonly watchIpSources: (read: () => readonly IpSource[]) => void
}

/** A part of the guard that calls go on without if its tables cannot be used. */
export type GuardPart = 'pumping' | 'spend' | 'guessing'

interface IpSource {
  readonly name: string
  readonly ipClass: string | null
  readonly problem: string | null
  readonly ageSeconds: number | null
}

export function guardMetrics(registry: Registry): GuardMetrics {
  const unguarded = unguardedCounters(registry)
  const guessAlarms = new Gauge({
    name: 'countersign_guessing_alarms',
    help: 'Apps in which far more wrong codes than usual are entered, over all nodes.',
    aggregator: 'max',
    registers: [registry],
  })
  return {
    countUnguarded: (part) => unguarded[part].inc(),
    setGuessAlarms: (count) => guessAlarms.set(count),
    watchIpSources: (read) => {
      ipSourceGauge(
        registry,
        {
          name: 'countersign_ip_source_ok',
          help: '1 if an IP list could be read and is not too old, else 0.',
          aggregator: 'min',
        },
        read,
        ({ problem }) => (problem === null ? 1 : 0),
      )
      ipSourceGauge(
        registry,
        { name: 'countersign_ip_source_age_seconds', help: 'Age of an IP list.', aggregator: 'max' },
        read,
        ({ ageSeconds }) => ageSeconds,
      )
    },
  }
}

/** Read each time the metrics are collected, since an age grows by itself. */
function ipSourceGauge(
  registry: Registry,
  {
    name,
    help,
    aggregator,
  }: { readonly name: string; readonly help: string; readonly aggregator: Aggregator },
  read: () => readonly IpSource[],
  measure: (source: IpSource) => number | null,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    labelNames: ['source', 'class'],
    registers: [registry],
    collect() {
      this.reset()
      for (const source of read()) {
        const value = measure(source)
        if (value !== null) this.set({ source: source.name, class: source.ipClass ?? 'by record' }, value)
      }
    },
  })
}

function unguardedCounters(registry: Registry): Record<GuardPart, Counter> {
  const counter = (part: GuardPart, help: string) =>
    new Counter({ name: `countersign_${part}_skipped_total`, help, registers: [registry] })
  return {
    pumping: counter(
      'pumping',
      'Batches of sends that went on without the guard against pumping, because its tables could not be used, and texts of its tables that could not be read.',
    ),
    spend: counter(
      'spend',
      'Batches of sends that went on without the spend caps, because their tables could not be used.',
    ),
    guessing: counter(
      'guessing',
      'Times that the watch over wrong codes could not use its tables, or a guess was judged without what the guard notes of it.',
    ),
  }
}
