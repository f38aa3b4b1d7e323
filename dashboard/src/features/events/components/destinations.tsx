import { EventState } from '#components/ui/event-state.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import type { ListedEvent } from '../api/use-events.ts'
import { ReplayEvent } from './replay-event.tsx'

interface DestinationsProps {
  readonly event: ListedEvent
  readonly replayReason: string | undefined
}

/** What became of an event at each of several endpoints. */
export const Destinations = ({ event, replayReason }: DestinationsProps) => (
  <section className="flex flex-col gap-2">
    <h3 className="text-sm font-semibold">Endpoints</h3>
    <ul className="divide-y rounded-md border">
      {event.endpoints.map(({ endpoint_id, url, status, next_attempt_at }) => (
        <li key={endpoint_id} className="flex items-center gap-3 px-3 py-2 text-sm">
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="truncate font-mono text-xs" title={url ?? endpoint_id}>
              {url ?? `${endpoint_id} (removed)`}
            </span>
            <span className="flex flex-wrap items-center gap-x-3 text-muted">
              <EventState status={status} />
              {next_attempt_at && (
                <span>
                  next <ExactTime value={next_attempt_at} />
                </span>
              )}
            </span>
          </span>
          {url !== null && (
            <ReplayEvent
              event={{ id: event.id, status }}
              endpointId={endpoint_id}
              reason={status === 'held' ? 'This endpoint is paused. Enable it first.' : replayReason}
              look="icon"
            />
          )}
        </li>
      ))}
    </ul>
  </section>
)
