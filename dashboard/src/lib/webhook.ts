/** An app's webhook endpoints, oldest first. */
import { queryOf } from './queries.ts'

const refreshMs = 4_000

export const endpointsQuery = (appId: string) => ({
  ...queryOf('listWebhooks', { params: { app_id: appId } }),
  // A pause comes from outside: whoever looks should see it come.
  refetchInterval: refreshMs,
})

/** As many as an app may have. */
export const mostEndpoints = 10
