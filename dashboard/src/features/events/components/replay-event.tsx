import RotateCw from 'lucide-react/icons/rotate-cw'
import { Button, IconButton } from '#components/ui/button.tsx'
import { useReplayEvent } from '../api/replay.ts'
import type { ListedEvent } from '../api/use-events.ts'

interface ReplayEventProps {
  readonly event: Pick<ListedEvent, 'id' | 'status'>
  /** Null for every endpoint that takes events of this type. */
  readonly endpointId: string | null
  /** Why the event cannot be replayed now. */
  readonly reason: string | undefined
  readonly look: 'icon' | 'button'
}

/** Replays an event: sends the same id and bytes once more, at once. */
export function ReplayEvent({ event, endpointId, reason, look }: ReplayEventProps) {
  const replay = useReplayEvent()
  const common = {
    disabledReason: event.status === 'sending' ? 'It is being sent right now.' : reason,
    isBusy: replay.isPending,
    onClick: () =>
      replay.mutate({
        params: { event_id: event.id },
        query: endpointId === null ? {} : { endpoint_id: endpointId },
      }),
  }
  return look === 'icon' ? (
    <IconButton {...common} size="sm" label={`Replay ${event.id}`}>
      {!replay.isPending && <RotateCw aria-hidden="true" />}
    </IconButton>
  ) : (
    <Button {...common}>
      {!replay.isPending && <RotateCw aria-hidden="true" />}
      Replay
    </Button>
  )
}
