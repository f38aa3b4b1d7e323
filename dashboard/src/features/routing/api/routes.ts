import type { AnswerOf } from '#lib/client.ts'
import { queryOf } from '#lib/queries.ts'

export type RouteRow = AnswerOf<'getRoutes'>['routes'][number]

const refreshMs = 10_000

export const routesQuery = (appId: string) => ({
  ...queryOf('getRoutes', { params: { app_id: appId }, query: {} }),
  refetchInterval: refreshMs,
})
