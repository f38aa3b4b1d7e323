import { queryOf } from '#lib/queries.ts'

const refreshMs = 15_000

/** Blocks come and go by themselves. */
export const blocksQuery = (appId: string) => ({
  ...queryOf('listBlocks', { params: { app_id: appId } }),
  refetchInterval: refreshMs,
})

export const ipSourcesQuery = queryOf('listIpSources', {})

export const guessingQuery = (appId: string) => ({
  ...queryOf('getGuessing', { params: { app_id: appId } }),
  refetchInterval: refreshMs,
})
