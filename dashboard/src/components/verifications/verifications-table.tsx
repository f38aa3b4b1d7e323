import type { ListedVerification } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Channel, Country, DeliveryState, Time, VerificationStatus } from '#components/ui/values.tsx'
import { useThisList } from './way-back.tsx'

interface VerificationsTableProps<Row extends ListedVerification> {
  readonly rows: readonly Row[]
  readonly appOf: (row: Row) => string
  /** Names the app of a row, in lists that cover several apps. */
  readonly nameOf?: (row: Row) => string
}

export const VerificationsTable = <Row extends ListedVerification>({
  rows,
  appOf,
  nameOf,
}: VerificationsTableProps<Row>) => (
  <Table
    label="Verifications"
    rows={rows}
    rowKey={({ otp_id }) => otp_id}
    columns={[
      { key: 'recipient', header: 'Recipient', cell: (row) => <Recipient row={row} appId={appOf(row)} /> },
      ...(nameOf
        ? [{ key: 'app', header: 'App', from: 'sm', className: nameColumn, cell: nameOf } as const]
        : []),
      ...columns,
    ]}
  />
)

function Recipient({ row, appId }: { readonly row: ListedVerification; readonly appId: string }) {
  const { otp_id, masked_recipient, channel } = row
  const state = useThisList()
  return (
    <>
      <Link
        to="/a/$appId/verifications/$otpId"
        params={{ appId, otpId: otp_id }}
        state={state}
        className={rowLinkClass}
      >
        {masked_recipient}
      </Link>
      <span className="block text-xs text-faint sm:hidden">
        <Channel name={channel} />
      </span>
    </>
  )
}

const columns: readonly Column<ListedVerification>[] = [
  { key: 'status', header: 'Status', cell: ({ status }) => <VerificationStatus status={status} /> },
  { key: 'channel', header: 'Channel', from: 'sm', cell: ({ channel }) => <Channel name={channel} /> },
  {
    key: 'delivery',
    header: 'Last message',
    from: 'md',
    cell: ({ delivery_status }) => <DeliveryState status={delivery_status} />,
  },
  { key: 'country', header: 'Country', from: 'md', cell: ({ country }) => <Country code={country} /> },
  { key: 'sends', header: 'Sends', align: 'end', from: 'xl', cell: ({ sends }) => sends },
  { key: 'attempts', header: 'Wrong codes', align: 'end', from: 'xl', cell: ({ attempts }) => attempts },
  {
    key: 'started',
    header: 'Started',
    align: 'end',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
]
