import { pagesOf, queryOf } from '#lib/queries.ts'

const refreshMs = 15_000

/** Blocks come and go by themselves. */
export const blocksQuery = (appId: string) => ({
  ...queryOf('listBlocks', { params: { app_id: appId } }),
  refetchInterval: refreshMs,
})

const historyRefreshMs = 60_000

export const debtsQuery = (appId: string, from: string) => ({
  ...queryOf('getDebts', { params: { app_id: appId }, query: { from } }),
  refetchInterval: historyRefreshMs,
})

export const heldPeopleQuery = (appId: string, range: { readonly from: string; readonly to: string }) => ({
  ...queryOf('getHeldPeople', { params: { app_id: appId }, query: range }),
  refetchInterval: historyRefreshMs,
})

export const rulesQuery = (appId: string) => queryOf('getRules', { params: { app_id: appId } })

export const revisionsQuery = (appId: string) =>
  pagesOf('listRuleRevisions', { params: { app_id: appId }, query: { limit: 10 } })

export const ipSourcesQuery = queryOf('listIpSources', {})

export const guessingQuery = (appId: string) => ({
  ...queryOf('getGuessing', { params: { app_id: appId } }),
  refetchInterval: refreshMs,
})
