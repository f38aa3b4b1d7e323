import { Dialog } from '#components/ui/dialog.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useEvent } from '../api/use-event.ts'
import type { ListedEvent } from '../api/use-events.ts'
import { EventDialog } from './event-dialog.tsx'

interface OpenedEventProps {
  readonly appId: string
  readonly eventId: string
  /** The event as the list has it, if it is in the list. */
  readonly listed: ListedEvent | undefined
  readonly replayReason: string | undefined
  readonly onClose: () => void
}

/** The event is read by its id. Until it has been read, what the list has is shown. */
export function OpenedEvent({ appId, eventId, listed, replayReason, onClose }: OpenedEventProps) {
  const query = useEvent(eventId)
  const found = query.data?.app_id === appId ? query.data : undefined
  const event = found ?? listed
  if (event) return <EventDialog appId={appId} event={event} replayReason={replayReason} onClose={onClose} />
  return (
    <Dialog isOpen onOpenChange={onClose} title="Event">
      <Loaded query={query} loading={<SkeletonRows rows={4} />}>
        {() => <p className="text-sm text-muted">This event belongs to another app.</p>}
      </Loaded>
    </Dialog>
  )
}
