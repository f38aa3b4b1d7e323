import type { ListedEventStatus } from '@countersign/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type AnswerOf, addressOfCall } from '#lib/client.ts'
import { pagesOf } from '#lib/queries.ts'

export type ListedEvent = AnswerOf<'listEvents'>['events'][number]
export type Attempt = ListedEvent['attempts'][number]

const refreshMs = 3_000
/** Whoever has read further back than this is not watching what happens now. */
const pagesKeptFresh = 2

export const eventsFile = (appId: string, status: ListedEventStatus | undefined): string =>
  addressOfCall('listEvents', { params: { app_id: appId }, query: status ? { status } : {} })

export function useEvents(appId: string, status: ListedEventStatus | undefined) {
  const query = useInfiniteQuery({
    ...pagesOf('listEvents', { params: { app_id: appId }, query: status ? { status } : {} }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= pagesKeptFresh ? refreshMs : false),
  })
  return { query, events: query.data?.pages.flatMap((page) => page.events) }
}
