/** An app's webhook endpoints, oldest first. */
import { queryOf } from './queries.ts'

const refreshMs = 4_000

export const endpointsQuery = (appId: string) => ({
  ...queryOf('listWebhooks', { params: { app_id: appId } }),
  // An endpoint may be paused at any time, and the page should show it.
  refetchInterval: refreshMs,
})

/** As many endpoints as an app may have. */
export const mostEndpoints = 10
