import type { SpendAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import Coins from 'lucide-react/icons/coins'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country, Money } from '#components/ui/values.tsx'
import { decimalsOf } from '#lib/amount.ts'
import { cx } from '#lib/classes.ts'
import { formatClock } from '#lib/format.ts'
import { spendQuery } from './query.ts'

type Hour = SpendAnswer['hour']
type DayRow = SpendAnswer['day']['countries'][number]

export function SpendToday({ appId }: { readonly appId: string }) {
  const query = useQuery(spendQuery(appId))
  return (
    <Card
      isFlush
      title="Spent today"
      description="By UTC day and country of the recipient. A country whose cap is reached gets no more paid messages that day."
    >
      <Loaded query={query} loading={<SkeletonRows rows={4} />}>
        {({ day, hour }) => (
          <>
            <ThisHour hour={hour} />
            <Day rows={day.countries} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** If all messages are free, a learned cap is zero, and none of it is used up. */
const shareOf = (counted: string, { cap }: Pick<DayRow, 'cap'>) =>
  cap === null || Number(cap) === 0 ? 0 : Math.min(1, Number(counted) / Number(cap))

/** How much of a cap is used up. */
const Used = ({ share, hasCap }: { readonly share: number; readonly hasCap: boolean }) => (
  <span
    aria-hidden="true"
    className={cx(
      'block h-1 w-full overflow-hidden rounded-full forced-color-adjust-none',
      hasCap ? 'bg-line' : 'bg-transparent',
    )}
  >
    <span
      className={cx('block h-full', share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-accent')}
      style={{ width: `${share * 100}%` }}
    />
  </span>
)

const ThisHour = ({ hour }: { readonly hour: Hour }) => (
  <dl className="flex flex-wrap items-end gap-x-10 gap-y-3 border-y bg-page px-4 py-3">
    <div className="min-w-56">
      <dt className="text-xs text-muted">
        This hour, not approved{' '}
        <span className="text-faint">(until {formatClock(hour.until).slice(0, 5)})</span>
      </dt>
      <dd className="text-base font-semibold">
        <Money amount={hour.unverified} />{' '}
        <span className="text-sm font-normal text-muted">
          {hour.cap === null ? (
            'no cap'
          ) : (
            <>
              of <Money amount={hour.cap} /> ({hour.source})
            </>
          )}
        </span>
      </dd>
      <dd className="mt-1">
        <Used share={shareOf(hour.unverified, hour)} hasCap={hour.cap !== null} />
      </dd>
    </div>
    <div>
      <dt className="text-xs text-muted">Spent this hour</dt>
      <dd className="text-sm">
        <Money amount={hour.spent} />
      </dd>
    </div>
    <div>
      <dt className="text-xs text-muted">Of which approved</dt>
      <dd className="text-sm">
        <Money amount={hour.approved} />
      </dd>
    </div>
  </dl>
)

function Day({ rows }: { readonly rows: readonly DayRow[] }) {
  if (rows.length === 0) {
    return (
      <Empty title="Nothing spent today" icon={<Coins />}>
        Countries appear here with their caps as soon as a message is charged.
      </Empty>
    )
  }
  const columns = columnsFor(
    decimalsOf(rows.flatMap(({ spent, approved, cap }) => [spent, approved, cap ?? '0'])),
  )
  return (
    <Table
      label="Spent today by country"
      columns={columns}
      rows={rows}
      rowKey={({ country }) => country ?? 'email'}
    />
  )
}

const columnsFor = (decimals: number): readonly Column<DayRow>[] => [
  {
    key: 'country',
    header: 'Country',
    cell: ({ country }) => (country === null ? 'Email addresses' : <Country code={country} />),
  },
  {
    key: 'spent',
    header: 'Spent',
    align: 'end',
    cell: ({ spent }) => <Money amount={spent} decimals={decimals} />,
  },
  {
    key: 'approved',
    header: 'Approved',
    align: 'end',
    from: 'sm',
    cell: ({ approved }) => <Money amount={approved} decimals={decimals} />,
  },
  {
    key: 'used',
    header: 'Used',
    from: 'sm',
    className: 'w-40',
    cell: ({ spent, cap }) => <Used share={shareOf(spent, { cap })} hasCap={cap !== null} />,
  },
  {
    key: 'cap',
    header: 'Cap',
    align: 'end',
    cell: ({ cap, source }) =>
      cap === null ? (
        <span className="text-muted">none</span>
      ) : (
        <>
          <span className="mr-2 text-xs text-faint max-sm:hidden">{source}</span>
          <Money amount={cap} decimals={decimals} />
        </>
      ),
  },
]
