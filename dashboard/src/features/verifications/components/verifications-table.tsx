import type { ListedVerification } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Channel, Country, DeliveryState, Time, VerificationStatus } from '#components/ui/values.tsx'

interface VerificationsTableProps {
  readonly appId: string
  readonly rows: readonly ListedVerification[]
}

export const VerificationsTable = ({ appId, rows }: VerificationsTableProps) => (
  <Table
    label="Verifications"
    rows={rows}
    rowKey={({ otp_id }) => otp_id}
    columns={[recipientColumn(appId), ...columns]}
  />
)

const recipientColumn = (appId: string): Column<ListedVerification> => ({
  key: 'recipient',
  header: 'Recipient',
  cell: ({ otp_id, masked_recipient, channel }) => (
    <>
      <Link to="/a/$appId/verifications/$otpId" params={{ appId, otpId: otp_id }} className={rowLinkClass}>
        {masked_recipient}
      </Link>
      <span className="block text-xs text-faint sm:hidden">
        <Channel name={channel} />
      </span>
    </>
  ),
})

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
  { key: 'sends', header: 'Sends', align: 'end', from: 'lg', cell: ({ sends }) => sends },
  { key: 'attempts', header: 'Wrong codes', align: 'end', from: 'lg', cell: ({ attempts }) => attempts },
  {
    key: 'started',
    header: 'Started',
    align: 'end',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
]
