import type { ListedVerification } from '@countersign/contract'
import { type Column, nameColumn, Table } from '#components/ui/table.tsx'
import { Channel, Country, DeliveryState, Time, VerificationStatus } from '#components/ui/values.tsx'
import { deliveryStatusLabels } from '#lib/format.ts'
import { RecipientLink } from './recipient-link.tsx'

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
      {
        key: 'recipient',
        header: 'Recipient',
        className: nameColumn,
        cell: (row) => <Recipient row={row} appId={appOf(row)} />,
      },
      ...(nameOf
        ? [{ key: 'app', header: 'App', from: 'sm', className: nameColumn, cell: nameOf } as const]
        : []),
      ...columns,
    ]}
  />
)

function Recipient({ row, appId }: { readonly row: ListedVerification; readonly appId: string }) {
  const { otp_id, masked_recipient, channel } = row
  return (
    <>
      <RecipientLink appId={appId} otpId={otp_id} recipient={masked_recipient} />
      <span className="block text-xs text-faint sm:hidden">
        <Channel name={channel} />
      </span>
    </>
  )
}

/** Where no column is left for the last message, it is named below the status: it is what people call about. */
export const StatusAndMessage = ({
  row: { status, delivery_status },
}: {
  readonly row: Pick<ListedVerification, 'status' | 'delivery_status'>
}) => (
  <>
    <VerificationStatus status={status} />
    {delivery_status && (
      <span className="block text-xs text-muted md:hidden">
        Message {deliveryStatusLabels[delivery_status][0].toLowerCase()}
      </span>
    )}
  </>
)

const columns: readonly Column<ListedVerification>[] = [
  { key: 'status', header: 'Status', cell: (row) => <StatusAndMessage row={row} /> },
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
