import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 1_000
/** Of more it is enough to know that they are more: each comes with the answers that it got. */
const mostCounted = 100
const mostUnderWay = 10

export interface Remaining {
  readonly count: number
  /** Whether there are more than were counted. */
  readonly isMore: boolean
}

/** How many events of an app are still to be sent, counted every second. */
export function useRemaining(appId: string, isWatched: boolean): Remaining | null {
  const params = { app_id: appId }
  const live = { refetchInterval: isWatched ? refreshMs : false, staleTime: 0, gcTime: 0 } as const
  const waiting = useQuery({
    ...queryOf('listEvents', { params, query: { status: 'waiting', limit: mostCounted } }),
    ...live,
  }).data
  const sending = useQuery({
    ...queryOf('listEvents', { params, query: { status: 'sending', limit: mostUnderWay } }),
    ...live,
  }).data
  if (!waiting || !sending) return null
  return { count: waiting.events.length + sending.events.length, isMore: waiting.next_cursor !== null }
}
