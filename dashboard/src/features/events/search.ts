import type { ListedEventStatus } from '@countersign/contract'
import { eventStatuses } from '#contract'

export interface EventsSearch {
  readonly status?: ListedEventStatus | undefined
  /** The event whose attempts are shown. */
  readonly event?: string | undefined
}

export const parseEventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  status: eventStatuses.find((status) => status === search.status),
  event: typeof search.event === 'string' && /^evt_\w{1,60}$/.test(search.event) ? search.event : undefined,
})
