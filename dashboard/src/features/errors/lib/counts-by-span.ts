import type { ErrorStatsAnswer } from '@countersign/contract'
import type { Span } from '#lib/period.ts'

interface Counts {
  readonly calls: number
  readonly service: number
}

/** Adds up hours into the bars of the chart, which are hours or days in UTC. */
export function countsBySpan(
  hours: ErrorStatsAnswer['hours'],
  { by, keys }: Pick<Span, 'by' | 'keys'>,
): ReadonlyMap<string, Counts> {
  const keyOf = new Map(keys.map((key) => [key.slice(0, by === 'hour' ? 13 : 10), key]))
  const counts = new Map<string, Counts>()
  for (const { starts_at, status, count } of hours) {
    const key = keyOf.get(starts_at.slice(0, by === 'hour' ? 13 : 10))
    if (key === undefined) continue
    const { calls, service } = counts.get(key) ?? { calls: 0, service: 0 }
    counts.set(key, status < 500 ? { calls: calls + count, service } : { calls, service: service + count })
  }
  return counts
}
