import { eventStatuses } from 'virtual:contract'
import type { ListedEventStatus } from '@countersign/contract'

export interface EventsSearch {
  readonly status?: ListedEventStatus | undefined
}

export const parseEventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  status: eventStatuses.find((status) => status === search.status),
})
