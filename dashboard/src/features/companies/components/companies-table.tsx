import type { CompanyAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '#components/ui/button.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { aboveRowLink, type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Money, Time } from '#components/ui/values.tsx'
import { cx } from '#lib/classes.ts'

export const CompaniesTable = ({ companies }: { readonly companies: readonly CompanyAnswer[] }) => (
  <Table label="Companies" rows={companies} rowKey={({ company_id }) => company_id} columns={columns} />
)

const Balance = ({ company: { balance, metered } }: { readonly company: CompanyAnswer }) =>
  metered ? <Money amount={balance} decimals="short" /> : <span className="text-faint">not metered</span>

const columns: readonly Column<CompanyAnswer>[] = [
  {
    key: 'name',
    header: 'Name',
    className: nameColumn,
    cell: (company) => (
      <>
        <Link to="/c/$companyId/apps" params={{ companyId: company.company_id }} className={rowLinkClass}>
          {company.name}
        </Link>
        <span className="block text-xs text-muted sm:hidden">
          <Balance company={company} />
        </span>
      </>
    ),
  },
  {
    key: 'id',
    header: 'Id',
    from: 'xl',
    cell: ({ company_id }) => (
      <CopyText text={company_id} label="Copy the id" className={cx('px-0', aboveRowLink)} />
    ),
  },
  { key: 'created', header: 'Created', from: 'md', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    key: 'balance',
    header: 'Balance',
    align: 'end',
    from: 'sm',
    cell: (company) => <Balance company={company} />,
  },
  {
    key: 'top-up',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    cell: ({ company_id, name, metered }) =>
      metered && (
        <Link
          to="/c/$companyId/billing"
          params={{ companyId: company_id }}
          search={{ open: 'top-up' }}
          aria-label={`Top up ${name}`}
          className={cx(buttonClass({ size: 'sm' }), aboveRowLink)}
        >
          Top up
        </Link>
      ),
  },
]
