import { useInfiniteQuery } from '@tanstack/react-query'
import { type AnswerOf, addressOfCall } from '#lib/client.ts'
import { pagesOf } from '#lib/queries.ts'
import type { EventsFilter } from '../search.ts'

export type ListedEvent = AnswerOf<'listEvents'>['events'][number]
export type Attempt = ListedEvent['attempts'][number] & Partial<SentAttempt>
type SentAttempt = AnswerOf<'getEvent'>['attempts'][number]

const refreshMs = 3_000
/** A reader who has loaded more pages than this is not watching what happens now. */
const pagesKeptFresh = 2

const queryOf = ({ type, status, endpoint, attempts, answer }: EventsFilter) => ({
  ...(type ? { type } : {}),
  ...(status ? { status } : {}),
  ...(endpoint ? { endpoint_id: endpoint } : {}),
  ...(attempts ? { min_attempts: attempts } : {}),
  ...(answer ? { answer } : {}),
})

export const eventsFile = (appId: string, filter: EventsFilter): string =>
  addressOfCall('listEvents', { params: { app_id: appId }, query: queryOf(filter) })

export function useEvents(appId: string, filter: EventsFilter) {
  const query = useInfiniteQuery({
    ...pagesOf('listEvents', {
      params: { app_id: appId },
      query: queryOf(filter),
    }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= pagesKeptFresh ? refreshMs : false),
  })
  return { query, events: query.data?.pages.flatMap((page) => page.events) }
}
