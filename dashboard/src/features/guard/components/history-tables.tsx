import type { RefusalStatsAnswer } from '@countersign/contract'
import { ruleName } from '@countersign/contract/words'
import { Link } from '@tanstack/react-router'
import { type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Money } from '#components/ui/values.tsx'
import { formatCount } from '#lib/format.ts'
import type { Span } from '#lib/period.ts'
import { dayOf } from '#lib/time-zone.ts'
import {
  type RefusedPlace,
  refusedPlaceInWords,
  refusedPlaceKey,
  whenInWords,
} from '../lib/refused-places.ts'

interface TableProps {
  readonly appId: string
  readonly stats: RefusalStatsAnswer
  readonly span: Span
}

type RuleRow = RefusalStatsAnswer['rules'][number]

const figures: readonly Column<Pick<RuleRow, 'count' | 'price'>>[] = [
  { key: 'count', header: 'Refused', align: 'end', cell: ({ count }) => formatCount(count) },
  {
    key: 'price',
    header: 'Would have cost',
    align: 'end',
    cell: ({ price }) => <Money amount={price} decimals="short" />,
  },
]

/** The rules that refused. Each links to its refusals in that period. */
export function RefusedRules({ appId, stats, span }: TableProps) {
  const columns: readonly Column<RuleRow>[] = [
    {
      key: 'rule',
      header: 'Rule',
      cell: ({ rule }) => (
        <Link
          to="/a/$appId/verifications"
          params={{ appId }}
          search={{ view: 'refused', rule, from: dayOf(span.from) }}
          className={rowLinkClass}
        >
          {ruleName(rule)}
        </Link>
      ),
    },
    ...figures,
  ]
  return <Table label="Refused by rule" rows={stats.rules} rowKey={({ rule }) => rule} columns={columns} />
}

/** The places where sends were refused. Each links to the rule's refusals in that country and period. */
export function RefusedPlaces({ appId, stats, span }: TableProps) {
  const columns: readonly Column<RefusedPlace>[] = [
    {
      key: 'place',
      header: 'Place',
      cell: (row) => {
        const { where, what } = refusedPlaceInWords(row)
        return (
          <div className="py-0.5">
            <Link
              to="/a/$appId/verifications"
              params={{ appId }}
              search={{
                view: 'refused',
                rule: row.rule,
                country: row.country ?? undefined,
                from: dayOf(span.from),
              }}
              className={rowLinkClass}
            >
              {where}
            </Link>
            {what && <p className="text-xs text-muted">{what}</p>}
            <p className="text-xs text-muted md:hidden">
              {ruleName(row.rule)}, {whenInWords(span, row)}
            </p>
          </div>
        )
      },
    },
    { key: 'rule', header: 'Rule', from: 'md', cell: ({ rule }) => ruleName(rule) },
    { key: 'when', header: 'When', from: 'md', cell: (row) => whenInWords(span, row) },
    ...figures,
  ]
  const shown = stats.places.reduce((sum, { count }) => sum + count, 0)
  const left = stats.total.count - shown
  return (
    <>
      <Table label="Refused by place" rows={stats.places} rowKey={refusedPlaceKey} columns={columns} />
      {left > 0 && (
        <p className="border-t px-4 py-2.5 text-sm text-muted">
          {formatCount(left)} more in other places, or in too many at once to be told apart.
        </p>
      )}
    </>
  )
}
