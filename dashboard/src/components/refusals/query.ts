import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Span } from '#lib/period.ts'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 60_000

/** How many sends each rule refused. */
export const useRefusalStats = (appId: string, { from, by }: Pick<Span, 'from' | 'by'>) =>
  useQuery({
    ...queryOf('getRefusalStats', { params: { app_id: appId }, query: { from, by } }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
