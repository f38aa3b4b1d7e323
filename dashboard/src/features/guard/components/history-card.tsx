import type { RefusalStatsAnswer } from '@countersign/contract'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { useMemo, useState } from 'react'
import { useRefusalStats } from '#components/refusals/query.ts'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { Money } from '#components/ui/values.tsx'
import { plural } from '#lib/format.ts'
import { type Period, periodLabels, periods, type Span, spanOf } from '#lib/period.ts'
import { useNow } from '#lib/use-now.ts'
import { HistoryChart } from './history-chart.tsx'
import { RefusedPlaces, RefusedRules } from './history-tables.tsx'

const clockMs = 60_000

/** What was held back, where and when, by which rule, and what it would have cost. */
export function HistoryCard({ appId }: { readonly appId: string }) {
  const [period, setPeriod] = useState<Period>('7d')
  const now = useNow(clockMs)
  const span = useMemo(() => spanOf(period, now), [period, now])
  const query = useRefusalStats(appId, span)
  return (
    <Card
      isFlush
      title="Refused"
      description="Sends and resends that were refused, by rule and by place. Prices are those of the price book."
      actions={
        <Segmented
          label="Period"
          value={period}
          options={periods.map((each) => [each, periodLabels[each]] as const)}
          onChange={setPeriod}
        />
      }
    >
      <Loaded query={query} loading={<Skeleton className="mx-4 mb-4 h-72" />}>
        {(stats) =>
          stats.total.count === 0 ? (
            <Empty title="Nothing was refused" icon={<ShieldCheck />}>
              {`In the last ${periodLabels[period]} every send and resend was let through.`}
            </Empty>
          ) : (
            <History appId={appId} stats={stats} span={span} />
          )
        }
      </Loaded>
    </Card>
  )
}

interface HistoryProps {
  readonly appId: string
  readonly stats: RefusalStatsAnswer
  readonly span: Span
}

function History({ appId, stats, span }: HistoryProps) {
  const [by, setBy] = useState<'rule' | 'place'>('rule')
  const Rows = by === 'rule' ? RefusedRules : RefusedPlaces
  return (
    <>
      <div className="px-4 pb-4">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3">
          <p className="text-sm text-muted">
            {plural(stats.total.count, 'refusal')}; the messages would have cost{' '}
            <Money amount={stats.total.price} decimals="short" />
          </p>
          <Segmented
            label="Shown by"
            value={by}
            options={[
              ['rule', 'By rule'],
              ['place', 'By place'],
            ]}
            onChange={setBy}
          />
        </div>
        <HistoryChart stats={stats} span={span} by={by} />
      </div>
      <Rows appId={appId} stats={stats} span={span} />
    </>
  )
}
