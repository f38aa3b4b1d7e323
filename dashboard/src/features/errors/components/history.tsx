import type { ErrorStatsAnswer } from '@countersign/contract'
import { StackedBars } from '#components/charts/stacked-bars.tsx'
import { axisLabel, type Span, spanTitle } from '#lib/period.ts'
import { countsBySpan } from '../lib/counts-by-span.ts'

interface HistoryProps {
  readonly stats: ErrorStatsAnswer
  readonly span: Span
}

/** Errors over time: those of the caller, and those of the service. */
export function History({ stats, span }: HistoryProps) {
  const counts = countsBySpan(stats.hours, span)
  return (
    <StackedBars
      label="Errors over time"
      keys={span.keys}
      series={[
        { name: 'In the call (4xx)', valueAt: (key) => counts.get(key)?.calls ?? 0 },
        { name: 'In the service (5xx)', valueAt: (key) => counts.get(key)?.service ?? 0 },
      ]}
      axisLabel={(key) => axisLabel(span, key)}
      titleOf={(key) => spanTitle(span, key)}
    />
  )
}
