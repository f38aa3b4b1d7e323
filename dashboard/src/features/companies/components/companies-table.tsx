import type { CompanyAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { aboveRowLink, type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Money, Time } from '#components/ui/values.tsx'
import { TopUpDialog } from './top-up-dialog.tsx'

export function CompaniesTable({ companies }: { readonly companies: readonly CompanyAnswer[] }) {
  const [toppedUp, setToppedUp] = useState<CompanyAnswer | null>(null)
  return (
    <>
      <Table
        label="Companies"
        rows={companies}
        rowKey={({ company_id }) => company_id}
        columns={[...columns, topUpColumn(setToppedUp)]}
      />
      <TopUpDialog company={toppedUp} onClose={() => setToppedUp(null)} />
    </>
  )
}

const columns: readonly Column<CompanyAnswer>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ company_id, name }) => (
      <Link to="/c/$companyId/apps" params={{ companyId: company_id }} className={rowLinkClass}>
        {name}
      </Link>
    ),
  },
  {
    key: 'id',
    header: 'Id',
    from: 'lg',
    cell: ({ company_id }) => (
      <CopyText text={company_id} label="Copy the id" className={`!px-0 ${aboveRowLink}`} />
    ),
  },
  { key: 'created', header: 'Created', from: 'md', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    key: 'balance',
    header: 'Balance',
    align: 'end',
    cell: ({ balance, metered }) =>
      metered ? <Money amount={balance} decimals="short" /> : <span className="text-faint">not metered</span>,
  },
]

const topUpColumn = (onTopUp: (company: CompanyAnswer) => void): Column<CompanyAnswer> => ({
  key: 'top-up',
  header: <span className="sr-only">Actions</span>,
  align: 'end',
  cell: (company) => (
    <Button
      size="sm"
      className={aboveRowLink}
      aria-label={`Top up ${company.name}`}
      onClick={() => onTopUp(company)}
    >
      Top up
    </Button>
  ),
})
