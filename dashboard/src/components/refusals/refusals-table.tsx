import type { ListedRefusal } from '@countersign/contract'
import { ruleName, whyRefused } from '@countersign/contract/words'
import { type Column, nameColumn, Table } from '#components/ui/table.tsx'
import { Channel, Country, Money, WholeTime } from '#components/ui/values.tsx'
import { RecipientLink } from '#components/verifications/recipient-link.tsx'
import { wordsOfPages } from '#lib/decision-words.ts'
import { formatCount } from '#lib/format.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'

interface RefusalsTableProps<Row extends ListedRefusal> {
  readonly rows: readonly Row[]
  readonly appOf: (row: Row) => string
  /** Names the app of a row, in lists that cover several apps. */
  readonly nameOf?: (row: Row) => string
}

/** Sends and resends that did not happen, and why. */
export const RefusalsTable = <Row extends ListedRefusal>({
  rows,
  appOf,
  nameOf,
}: RefusalsTableProps<Row>) => (
  <Table
    label="Refusals"
    rows={rows}
    rowKey={({ refusal_id }) => refusal_id}
    columns={[
      {
        key: 'recipient',
        header: 'Recipient',
        className: nameColumn,
        cell: (row) => <Recipient row={row} appId={appOf(row)} />,
      },
      ...(nameOf
        ? [{ key: 'app', header: 'App', from: 'md', className: nameColumn, cell: nameOf } as const]
        : []),
      { key: 'why', header: 'Why', from: 'sm', className: 'w-1/2', cell: (row) => <Why row={row} /> },
      ...columns,
    ]}
  />
)

function Recipient({ row, appId }: { readonly row: ListedRefusal; readonly appId: string }) {
  const { otp_id, masked_recipient, kind, count } = row
  return (
    <div className="py-0.5">
      {otp_id === null ? (
        <span className="font-medium">{masked_recipient}</span>
      ) : (
        <RecipientLink appId={appId} otpId={otp_id} recipient={masked_recipient} />
      )}
      <span className="block text-xs text-faint">
        {kind === 'send' ? 'Send' : 'Resend'}
        {count > 1 && ` and ${formatCount(count - 1)} more like it`}
      </span>
      <span className="mt-1 block sm:hidden">
        <Why row={row} />
      </span>
    </div>
  )
}

function Why({ row: { rule, facts } }: { readonly row: ListedRefusal }) {
  const currency = useCurrency()
  const words = wordsOfPages((amount) => formatMoney(amount, currency))
  return (
    <span className="block py-0.5">
      <span className="block font-medium">{ruleName(rule)}</span>
      <span className="block text-xs text-muted [overflow-wrap:anywhere]">
        {whyRefused(rule, facts, words)}
      </span>
    </span>
  )
}

const unknown = <span className="text-faint">—</span>

const columns: readonly Column<ListedRefusal>[] = [
  {
    key: 'channel',
    header: 'Channel',
    from: 'xl',
    cell: ({ channel }) => (channel ? <Channel name={channel} /> : unknown),
  },
  { key: 'country', header: 'Country', from: 'xl', cell: ({ country }) => <Country code={country} /> },
  {
    key: 'price',
    header: 'Would have cost',
    align: 'end',
    from: 'md',
    cell: ({ price }) => (price === null ? unknown : <Money amount={price} decimals="short" />),
  },
  { key: 'at', header: 'Refused', align: 'end', cell: ({ created_at }) => <WholeTime value={created_at} /> },
]
