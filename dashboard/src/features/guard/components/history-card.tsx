import type { RefusalStatsAnswer } from '@countersign/contract'
import { ruleName } from '@countersign/contract/words'
import { Link } from '@tanstack/react-router'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { useMemo, useState } from 'react'
import { StackedBars } from '#components/charts/stacked-bars.tsx'
import { useRefusalStats } from '#components/refusals/query.ts'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Money } from '#components/ui/values.tsx'
import { formatCount, plural } from '#lib/format.ts'
import { axisLabel, type Period, periodLabels, periods, type Span, spanOf, spanTitle } from '#lib/period.ts'
import { useNow } from '#lib/use-now.ts'

const clockMs = 60_000
/** All further rules share one colour. */
const mostSeries = 4

/** What was held back, when, by which rule, and what it would have cost. */
export function HistoryCard({ appId }: { readonly appId: string }) {
  const [period, setPeriod] = useState<Period>('7d')
  const now = useNow(clockMs)
  const span = useMemo(() => spanOf(period, now), [period, now])
  const query = useRefusalStats(appId, span)
  return (
    <Card
      isFlush
      title="Refused"
      description="Sends and resends that did not happen, by the rule that refused them. Prices are those of the price book."
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
            <>
              <div className="px-4 pb-4">
                <p className="pb-3 text-sm text-muted">
                  {plural(stats.total.count, 'refusal')}; the messages would have cost{' '}
                  <Money amount={stats.total.price} decimals="short" />
                </p>
                <History stats={stats} span={span} />
              </div>
              <Rules appId={appId} stats={stats} span={span} />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

interface PartProps {
  readonly stats: RefusalStatsAnswer
  readonly span: Span
}

function History({ stats, span }: PartProps) {
  const countAt = new Map(
    stats.rows.map(({ starts_at, rule, count }) => [`${Date.parse(starts_at)} ${rule}`, count]),
  )
  const countOf = (key: string, rule: string) => countAt.get(`${Date.parse(key)} ${rule}`) ?? 0
  const names = stats.rules.map(({ rule }) => rule)
  const shown = names.slice(0, names.length > mostSeries + 1 ? mostSeries : mostSeries + 1)
  const others = names.slice(shown.length)
  const rest = {
    name: 'All others',
    valueAt: (key: string) => others.reduce((sum, rule) => sum + countOf(key, rule), 0),
  }
  return (
    <StackedBars
      label="Refused by rule"
      keys={span.keys}
      series={[
        ...shown.map((rule) => ({ name: ruleName(rule), valueAt: (key: string) => countOf(key, rule) })),
        ...(others.length > 0 ? [rest] : []),
      ]}
      axisLabel={(key) => axisLabel(span, key)}
      titleOf={(key) => spanTitle(span, key)}
    />
  )
}

type RuleRow = RefusalStatsAnswer['rules'][number]

/** Each rule is a link to what it has refused in that time. */
function Rules({ appId, stats, span }: PartProps & { readonly appId: string }) {
  const columns: readonly Column<RuleRow>[] = [
    {
      key: 'rule',
      header: 'Rule',
      cell: ({ rule }) => (
        <Link
          to="/a/$appId/verifications"
          params={{ appId }}
          search={{ view: 'refused', rule, from: span.from.slice(0, 10) }}
          className={rowLinkClass}
        >
          {ruleName(rule)}
        </Link>
      ),
    },
    { key: 'count', header: 'Refused', align: 'end', cell: ({ count }) => formatCount(count) },
    {
      key: 'price',
      header: 'Would have cost',
      align: 'end',
      cell: ({ price }) => <Money amount={price} decimals="short" />,
    },
  ]
  return <Table label="Refused by rule" rows={stats.rules} rowKey={({ rule }) => rule} columns={columns} />
}
