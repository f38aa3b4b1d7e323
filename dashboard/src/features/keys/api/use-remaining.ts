import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 1_000

/** How many events of an app are still to be sent, counted every second; null until that is known. */
export function useRemaining(appId: string, isWatched: boolean): number | null {
  const { data } = useQuery({
    ...queryOf('countUnsent', { params: { app_id: appId } }),
    refetchInterval: isWatched ? refreshMs : false,
    staleTime: 0,
    gcTime: 0,
  })
  return data?.unsent ?? null
}
