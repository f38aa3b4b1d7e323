import type { VerificationDetail } from '@countersign/contract'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Channel, DeliveryState, Time } from '#components/ui/values.tsx'

type Delivery = VerificationDetail['deliveries'][number]

const columns: readonly Column<Delivery>[] = [
  { key: 'channel', header: 'Channel', cell: ({ channel }) => <Channel name={channel} /> },
  {
    key: 'status',
    header: 'State',
    cell: ({ status, error }) => (
      <>
        <DeliveryState status={status} />
        {error && <span className="block text-xs text-muted sm:hidden">{error.message}</span>}
      </>
    ),
  },
  {
    key: 'error',
    header: 'What the provider said',
    from: 'sm',
    cell: ({ error }) => (error ? error.message : <span className="text-faint">—</span>),
  },
  {
    key: 'id',
    header: 'Id',
    from: 'lg',
    cell: ({ delivery_id }) => <CopyText text={delivery_id} label="Copy the id" className="px-0" />,
  },
  { key: 'time', header: 'Changed', align: 'end', cell: ({ updated_at }) => <Time value={updated_at} /> },
]

export const Deliveries = ({ deliveries }: { readonly deliveries: readonly Delivery[] }) => (
  <Card title="Messages" isFlush>
    {deliveries.length === 0 ? (
      <p className="px-4 pb-4 text-sm text-muted">
        No message was handed to a provider: the person has not opened the WhatsApp link.
      </p>
    ) : (
      <Table label="Messages" rows={deliveries} rowKey={({ delivery_id }) => delivery_id} columns={columns} />
    )}
  </Card>
)
