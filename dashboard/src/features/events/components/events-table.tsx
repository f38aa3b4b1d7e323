import { Link } from '@tanstack/react-router'
import { Badge } from '#components/ui/badge.tsx'
import { EventState } from '#components/ui/event-state.tsx'
import { aboveRowLink, type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { Time } from '#components/ui/values.tsx'
import { cx } from '#lib/classes.ts'
import { formatCount } from '#lib/format.ts'
import type { ListedEvent } from '../api/use-events.ts'
import { ReplayEvent } from './replay-event.tsx'

interface EventsTableProps {
  readonly appId: string
  readonly events: readonly ListedEvent[]
  readonly replayReason: string | undefined
  readonly onOpen: (eventId: string) => void
}

const columns = ({
  appId,
  replayReason,
  onOpen,
}: Omit<EventsTableProps, 'events'>): readonly Column<ListedEvent>[] => [
  {
    key: 'type',
    header: 'Type',
    cell: ({ id, type, test }) => (
      <>
        <button
          type="button"
          onClick={() => onOpen(id)}
          aria-haspopup="dialog"
          className={cx(rowLinkClass, 'font-mono text-xs')}
        >
          {type}
        </button>
        {test && (
          <span className="ml-2">
            <Badge>Test</Badge>
          </span>
        )}
      </>
    ),
  },
  {
    key: 'verification',
    header: 'Verification',
    from: 'md',
    cell: ({ otp_id, test }) => <VerificationLink appId={appId} otpId={otp_id} isTest={test} />,
  },
  { key: 'status', header: 'Status', cell: ({ status }) => <EventState status={status} /> },
  { key: 'created', header: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    key: 'attempts',
    header: 'Attempts',
    align: 'end',
    from: 'sm',
    cell: ({ attempts }) => formatCount(attempts.length),
  },
  {
    key: 'answer',
    header: 'Last answer',
    align: 'end',
    from: 'xl',
    cell: ({ attempts }) => <LastAnswer attempt={attempts.at(-1)} />,
  },
  {
    key: 'next',
    header: 'Next attempt',
    from: 'xl',
    className: 'pl-6',
    cell: ({ status, next_attempt_at }) => <Time value={status === 'waiting' ? next_attempt_at : null} />,
  },
  {
    key: 'replay',
    header: <span className="sr-only">Replay</span>,
    align: 'end',
    from: 'sm',
    cell: (event) => (
      <span className={aboveRowLink}>
        <ReplayEvent event={event} endpointId={null} reason={replayReason} look="icon" />
      </span>
    ),
  },
]

export const EventsTable = ({ events, ...rest }: EventsTableProps) => (
  <Table label="Events" columns={columns(rest)} rows={events} rowKey={({ id }) => id} />
)

interface VerificationLinkProps {
  readonly appId: string
  readonly otpId: string
  /** A test event has no verification behind it. */
  readonly isTest: boolean
}

export const VerificationLink = ({ appId, otpId, isTest }: VerificationLinkProps) =>
  isTest ? (
    <span className="text-faint">test data</span>
  ) : (
    <Link
      to="/a/$appId/verifications/$otpId"
      params={{ appId, otpId }}
      className={cx(textLink, aboveRowLink, 'font-mono text-xs')}
    >
      {otpId}
    </Link>
  )

const LastAnswer = ({ attempt }: { readonly attempt: ListedEvent['attempts'][number] | undefined }) => {
  if (!attempt) return <span className="text-faint">—</span>
  return attempt.status === null ? (
    <span className="text-muted" title={attempt.error ?? undefined}>
      none
    </span>
  ) : (
    attempt.status
  )
}
