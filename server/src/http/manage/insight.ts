/** What happened, read by people: parse, call, present. */
import type { VerificationsQuery } from '@countersign/contract'
import { formatMicros } from '../../domain/billing/index.ts'
import {
  type AttentionDependencies,
  findAttention,
  listVerifications,
  readCompanySpend,
  readStats,
  showVerification,
} from '../../domain/insight/index.ts'
import { shippedLocales } from '../../domain/messages/index.ts'
import { getApp } from '../../domain/tenancy/index.ts'
import { preview } from '../../domain/verification/index.ts'
import type { AppId } from '../../platform/ids.ts'
import { previewAnswer } from '../preview-answer.ts'
import { type Route, route } from '../route.ts'
import { clientIpOf } from '../v1/otp.ts'
import { appIdOf } from './apps.ts'
import { companyIdOf } from './companies.ts'

export type InsightDependencies = AttentionDependencies

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
    route('getCompanySpend', async ({ params }) => {
      const { days, spentMicros } = await readCompanySpend(dependencies, companyIdOf(params))
      return { days, spent: formatMicros(spentMicros) }
    }),
    route('getAttention', async ({ params }) => ({
      items: await findAttention(dependencies, appIdOf(params)),
    })),
    route('previewSend', async ({ params, body }) => {
      // As with a server key: the backend says where its user is.
      const caller = { app: await getApp(dependencies, appIdOf(params)), kind: 'server' } as const
      const clientIp = clientIpOf(caller, body.client_ip, '')
      return previewAnswer(await preview(dependencies, caller, { recipient: body.recipient, clientIp }))
    }),
    route('listIpSources', async () => ({
      sources: dependencies.reputation.sources().map((source) => ({
        name: source.name,
        class: source.ipClass ?? 'by_record',
        entries: source.networks,
        loaded_at: source.loadedAtMs === null ? null : new Date(source.loadedAtMs).toISOString(),
        age_s: source.ageSeconds,
        max_age_s: source.maxAgeSeconds,
        problem: source.problem,
      })),
    })),
    route('listLocales', async () => ({ locales: [...shippedLocales] })),
  ]
}
