import type { VerificationDetail } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { EventState } from '#components/ui/event-state.tsx'
import { aboveRowLink, type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import { cx } from '#lib/classes.ts'

type ListedEvent = VerificationDetail['events'][number]

const columnsOf = (appId: string): readonly Column<ListedEvent>[] => [
  {
    key: 'type',
    header: 'Type',
    cell: ({ id, type }) => (
      <Link
        to="/a/$appId/events"
        params={{ appId }}
        search={{ event: id }}
        className={cx(rowLinkClass, 'font-mono text-xs')}
      >
        {type}
      </Link>
    ),
  },
  {
    key: 'status',
    header: 'State',
    cell: ({ status }) => <EventState status={status} />,
  },
  {
    key: 'id',
    header: 'Id',
    from: 'md',
    cell: ({ id }) => (
      <span className={aboveRowLink}>
        <CopyText text={id} label="Copy the id" className="px-0" />
      </span>
    ),
  },
  {
    key: 'time',
    header: 'Made',
    align: 'end',
    from: 'sm',
    cell: ({ created_at }) => <ExactTime value={created_at} />,
  },
]

interface EventsProps {
  readonly appId: string
  readonly events: readonly ListedEvent[]
}

export const Events = ({ appId, events }: EventsProps) => (
  <Card
    title="Events"
    isFlush
    actions={
      <Link to="/a/$appId/events" params={{ appId }} className={cx('text-sm', textLink)}>
        All events
      </Link>
    }
  >
    {events.length === 0 ? (
      <p className="px-4 pb-4 text-sm text-muted">
        None yet. Events are created when the verification ends or a receipt arrives.
      </p>
    ) : (
      <Table label="Events" rows={events} rowKey={({ id }) => id} columns={columnsOf(appId)} />
    )}
  </Card>
)
