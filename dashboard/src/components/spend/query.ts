import { queryOf } from '#lib/queries.ts'

const refreshMs = 30_000

export const spendQuery = (appId: string) => ({
  ...queryOf('getSpend', { params: { app_id: appId } }),
  refetchInterval: refreshMs,
})
