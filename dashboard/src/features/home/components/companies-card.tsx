import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Money } from '#components/ui/values.tsx'
import { formatCount, formatShare } from '#lib/format.ts'
import { type CompanyRow, type SortColumn, sorted } from '../lib/sort.ts'

const labels: Readonly<Record<SortColumn, string>> = {
  name: 'Company',
  sends: 'Sends',
  conversion: 'Conversion',
  refusals: 'Refused',
  cost: 'Spend',
  balance: 'Balance',
  alerts: 'Alerts',
}

const cells: Readonly<Record<SortColumn, Column<CompanyRow>['cell']>> = {
  name: (company) => (
    <>
      <Link to="/c/$companyId/apps" params={{ companyId: company.company_id }} className={rowLinkClass}>
        {company.name}
      </Link>
      <span className="block text-xs text-muted md:hidden">
        {company.conversion !== null && `${formatShare(company.conversion)} approved · `}
        {formatCount(company.refusals)} refused · <Money amount={company.cost} decimals="short" /> spent
        {company.metered && (
          <>
            {' '}
            · <Money amount={company.balance} decimals="short" /> left
          </>
        )}
      </span>
    </>
  ),
  sends: ({ sends }) => formatCount(sends),
  conversion: ({ conversion }) => formatShare(conversion),
  refusals: ({ refusals }) => formatCount(refusals),
  cost: ({ cost }) => <Money amount={cost} decimals="short" />,
  balance: ({ balance, metered }) =>
    metered ? <Money amount={balance} decimals="short" /> : <span className="text-faint">not metered</span>,
  alerts: ({ alerts }) =>
    alerts === 0 ? <span className="text-faint">—</span> : <Badge tone="bad">{formatCount(alerts)}</Badge>,
}

const narrow: readonly SortColumn[] = ['name', 'sends', 'alerts']

/** All companies with their last day. Clicking a heading sorts by it, clicking it again reverses the order. */
export function CompaniesCard({ companies }: { readonly companies: readonly CompanyRow[] }) {
  const [order, setOrder] = useState<{ readonly by: SortColumn; readonly isUp: boolean }>({
    by: 'sends',
    isUp: false,
  })
  const columns = (Object.keys(labels) as SortColumn[]).map(
    (by): Column<CompanyRow> => ({
      key: by,
      header: (
        <button
          type="button"
          className="cursor-pointer hover:text-accent"
          aria-label={`Sort by ${labels[by]}`}
          aria-pressed={order.by === by}
          onClick={() => setOrder({ by, isUp: order.by === by && !order.isUp })}
        >
          {labels[by]}
          {order.by === by && <span aria-hidden="true">{order.isUp ? ' ↑' : ' ↓'}</span>}
        </button>
      ),
      ...(by === 'name' ? { className: nameColumn } : { align: 'end' as const }),
      ...(narrow.includes(by) ? {} : { from: 'md' as const }),
      cell: cells[by],
    }),
  )
  return (
    <Card isFlush title="Companies" description="Figures of the last 24 hours.">
      {companies.length === 0 ? (
        <Empty title="No companies yet">Create the first one to get started.</Empty>
      ) : (
        <Table
          label="Companies, last 24 hours"
          columns={columns}
          rows={sorted(companies, order.by, order.isUp)}
          rowKey={({ company_id }) => company_id}
        />
      )}
    </Card>
  )
}
