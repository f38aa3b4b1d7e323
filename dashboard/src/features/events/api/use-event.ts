import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 3_000

/** One event by its id, read again regularly while it is open. */
export const useEvent = (eventId: string) =>
  useQuery({
    ...queryOf('getEvent', { params: { event_id: eventId } }),
    refetchInterval: ({ state }) => (state.data ? refreshMs : false),
  })
