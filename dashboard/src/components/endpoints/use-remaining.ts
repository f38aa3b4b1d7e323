import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import type { EndpointParams } from './params.ts'

const refreshMs = 1_000

/** How many events are still to be sent to an endpoint, counted every second; null until that is known. */
export function useRemaining(params: EndpointParams, isWatched: boolean): number | null {
  const { data } = useQuery({
    ...queryOf('countUnsentOfEndpoint', { params }),
    refetchInterval: isWatched ? refreshMs : false,
    staleTime: 0,
    gcTime: 0,
  })
  return data?.unsent ?? null
}
