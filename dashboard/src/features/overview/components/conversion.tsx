import type { StatsAnswer } from '@countersign/contract'
import { ShareLine } from '#components/charts/share-line.tsx'
import { Card } from '#components/ui/card.tsx'
import { formatCount, formatShare } from '#lib/format.ts'
import { axisLabel, type Span, spanTitle } from '#lib/period.ts'
import { rowsByTime } from '../api/stats.ts'

interface ConversionProps {
  readonly stats: StatsAnswer
  readonly span: Span
}

export function Conversion({ stats, span }: ConversionProps) {
  const rowAt = rowsByTime(stats)
  return (
    <Card title="Conversion" description="The share of started verifications that were approved.">
      <ShareLine
        label="Conversion over time"
        keys={span.keys}
        valueAt={(key) => rowAt(key)?.conversion ?? null}
        readingsOf={(key) => {
          const row = rowAt(key)
          return [
            { name: 'Conversion', value: formatShare(row?.conversion ?? null) },
            { name: 'Approvals', value: formatCount(row?.approvals ?? 0) },
            { name: 'Sends', value: formatCount(row?.sends ?? 0) },
          ]
        }}
        axisLabel={(key) => axisLabel(span, key)}
        titleOf={(key) => spanTitle(span, key)}
      />
    </Card>
  )
}
