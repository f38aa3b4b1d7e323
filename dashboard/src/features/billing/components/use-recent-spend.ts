import { useQueries, useQuery } from '@tanstack/react-query'
import { appsQuery } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'

export const daysCounted = 7
/** A company with more apps than this is not asked about each. */
const mostApps = 20

/** What the apps of a company have spent lately; null until that is known. Statistics cover seven days unasked. */
export function useRecentSpend(companyId: string): number | null {
  const apps = useQuery(appsQuery(companyId)).data?.apps
  const isTooMany = apps !== undefined && apps.length > mostApps
  const answers = useQueries({
    queries: (isTooMany ? [] : (apps ?? [])).map(({ app_id }) =>
      queryOf('getStats', { params: { app_id }, query: { by: 'channel' } }),
    ),
  })
  if (apps === undefined || isTooMany || answers.some(({ data }) => data === undefined)) return null
  return answers.reduce((sum, { data }) => sum + Number(data?.total.cost ?? 0), 0)
}
