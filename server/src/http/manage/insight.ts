/** What happened, read by people: parse, call, present. */
import type { VerificationsQuery } from '@countersign/contract'
import { listVerifications, readStats, showVerification } from '../../domain/insight/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { type Route, route } from '../route.ts'
import { appIdOf } from './apps.ts'

export interface InsightDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

export function insightRoutes(dependencies: InsightDependencies): Route[] {
  const list = async (appId: AppId, query: VerificationsQuery) => {
    const { verifications, nextCursor, searchedTo } = await listVerifications(dependencies, appId, query)
    return { verifications, next_cursor: nextCursor, searched_to: searchedTo?.toISOString() ?? null }
  }
  return [
    route('listVerifications', ({ params, query }) => list(appIdOf(params), query)),
    route('searchVerifications', ({ params, body }) => list(appIdOf(params), body)),
    route('getVerification', ({ params }) => showVerification(dependencies, params.otp_id ?? '')),
    route('getStats', ({ params, query }) =>
      readStats(dependencies, appIdOf(params), {
        from: query.from,
        to: query.to,
        by: query.by,
        channel: query.channel ?? null,
        country: query.country ?? null,
      }),
    ),
  ]
}
