import type { ListedEventStatus } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import Activity from 'lucide-react/icons/activity'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'

interface NoEventsProps {
  readonly appId: string
  readonly status: ListedEventStatus | undefined
  readonly isEndpointMissing: boolean
  readonly onClear: () => void
}

export function NoEvents({ appId, status, isEndpointMissing, onClear }: NoEventsProps) {
  if (status) {
    return (
      <Empty title="No events with this status" action={<Button onClick={onClear}>Show all</Button>}>
        Try another status. Events are kept as long as verifications.
      </Empty>
    )
  }
  return (
    <Empty
      title="No events yet"
      icon={<Activity />}
      action={
        <Link to="/a/$appId/keys" params={{ appId }} className={buttonClass()}>
          {isEndpointMissing ? 'Set an endpoint' : 'Send a test event'}
        </Link>
      }
    >
      An event is created when a verification is approved or fails, and when a message is delivered or not.
      {isEndpointMissing && ' Without an endpoint they are kept, but not sent.'}
    </Empty>
  )
}
