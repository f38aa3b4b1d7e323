import { Link } from '@tanstack/react-router'
import Activity from 'lucide-react/icons/activity'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'

interface NoEventsProps {
  readonly appId: string
  readonly isFiltered: boolean
  readonly isEndpointMissing: boolean
  readonly onClear: () => void
}

export function NoEvents({ appId, isFiltered, isEndpointMissing, onClear }: NoEventsProps) {
  if (isFiltered) {
    return (
      <Empty title="No matching events" action={<Button onClick={onClear}>Show all</Button>}>
        Try other filters. Events are kept as long as verifications.
      </Empty>
    )
  }
  return (
    <Empty
      title="No events yet"
      icon={<Activity />}
      action={
        <Link to="/a/$appId/webhooks" params={{ appId }} className={buttonClass()}>
          {isEndpointMissing ? 'Add an endpoint' : 'Send a test event'}
        </Link>
      }
    >
      An event is created when a verification is approved or fails, and when a message is delivered or fails.
      {isEndpointMissing && ' Without an endpoint they are kept, but not sent.'}
    </Empty>
  )
}
