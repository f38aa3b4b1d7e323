import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const everyMs = 2_000
const shown = 3

/** The newest verifications, looked for every two seconds. */
export const useArrivals = (appId: string) =>
  useQuery({
    ...queryOf('listVerifications', { params: { app_id: appId }, query: { limit: shown } }),
    refetchInterval: everyMs,
  })
