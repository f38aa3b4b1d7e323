import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const everyMs = 2_000
const shown = 3

/** The newest verifications, polled every two seconds. */
export const useArrivals = (appId: string) =>
  useQuery({
    ...queryOf('listVerifications', { params: { app_id: appId }, query: { limit: shown } }),
    refetchInterval: everyMs,
  })

/** Whether the app has a key that works. */
export const useHasKey = (appId: string): boolean => {
  const { data } = useQuery(
    queryOf('listKeys', { params: { app_id: appId }, query: { limit: 1, state: 'live' } }),
  )
  return (data?.keys.length ?? 0) > 0
}
