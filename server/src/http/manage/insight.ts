/** Routes that read what happened: parse, call, present. */
import type { AccountChoice, VerificationsQuery } from '@countersign/contract'
import { formatMicros } from '../../domain/billing/index.ts'
import { readRecipient } from '../../domain/guard/index.ts'
import {
  type AttentionDependencies,
  findAttention,
  keepFreshFigures,
  keepFreshWays,
  listErrors,
  listRefusals,
  listVerifications,
  readCompanySpend,
  readErrorStats,
  readHeldPeople,
  readRefusalStats,
  readRoutes,
  readStats,
  readWays,
  searchCompany,
} from '../../domain/insight/index.ts'
import { shippedLocales } from '../../domain/messages/index.ts'
import type { RouteKnowledge } from '../../domain/routing/index.ts'
import { type AppRef, getApp, inForce } from '../../domain/tenancy/index.ts'
import { preview } from '../../domain/verification/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { within } from '../../platform/within.ts'
import { previewAnswer } from '../preview-answer.ts'
import { type Route, route } from '../route.ts'
import { clientIpOf } from '../v1/otp.ts'
import { exceptionAnswer, otpIdOf, verificationAnswer } from './one-verification.ts'

export interface InsightDependencies extends AttentionDependencies {
  /** Resolves when everything that this node has refused so far is written. */
  readonly writeRefusals: () => Promise<void>
  /** The same for the errors that its callers got. */
  readonly writeErrors: () => Promise<void>
  /** The same for what this node has seen of routes. */
  readonly writeRoutes: () => Promise<void>
  readonly routeKnowledge: Pick<RouteKnowledge, 'of'>
  readonly routingAccounts: AccountChoice
  readonly clock: Clock
  /** The database from which lists and figures are read. */
  readonly reading: ReadDatabase
}

/** How long a list waits for these writes; after that it is answered without the newest rows. */
const patienceMs = 1_000

export const insightRoutes = (dependencies: InsightDependencies): Route[] => [
  ...recordRoutes(dependencies),
  ...figureRoutes(dependencies),
  ...currentRoutes(dependencies),
]

const written = (write: () => Promise<void>) =>
  within(
    patienceMs,
    write().catch(() => {}),
  )

const readingOf = (dependencies: InsightDependencies) => ({
  ...dependencies,
  database: dependencies.reading.database,
})

/** What happened, one record each. */
function recordRoutes(dependencies: InsightDependencies): Route[] {
  const reading = readingOf(dependencies)
  const list = async (app: AppRef, query: VerificationsQuery) => {
    const { verifications, nextCursor, searchedTo } = await listVerifications(reading, app, query)
    return { verifications, next_cursor: nextCursor, searched_to: searchedTo?.toISOString() ?? null }
  }
  return [
    route('listVerifications', ({ scope, query }) => list(scope.app, query)),
    route('searchVerifications', ({ scope, body }) => list(scope.app, body)),
    route('getVerification', ({ scope, role, params }) =>
      verificationAnswer(dependencies, { app: scope.app, role }, otpIdOf(params)),
    ),
    route('listRefusals', async ({ scope, query }) => {
      await written(dependencies.writeRefusals)
      const { refusals, nextCursor } = await listRefusals(reading, scope.app, query)
      return { refusals, next_cursor: nextCursor }
    }),
    route('searchCompany', async ({ scope, body }) => {
      await written(dependencies.writeRefusals)
      const { recipient, country = null, problem = null, cursor = null } = body
      const wanted = { recipient, country, problem, cursor }
      const found = await searchCompany(reading, scope.companyId, wanted)
      const { verifications, refusals, nextCursor } = found
      const exception = found.exception && (await exceptionAnswer(dependencies, found.exception))
      return { verifications, refusals, exception, next_cursor: nextCursor }
    }),
    route('listErrors', async ({ scope, query }) => {
      await written(dependencies.writeErrors)
      const { errors, nextCursor } = await listErrors(reading, scope.app, query)
      return { errors, next_cursor: nextCursor }
    }),
  ]
}

/** How much of it there was. */
function figureRoutes(dependencies: InsightDependencies): Route[] {
  const reading = readingOf(dependencies)
  const readFresh = keepFreshFigures(dependencies.clock)
  const readFreshWays = keepFreshWays(dependencies.clock)
  return [
    route('getRefusalStats', async ({ scope, query }) => {
      await written(dependencies.writeRefusals)
      return readRefusalStats(reading, scope.app, { from: query.from, to: query.to, by: query.by })
    }),
    route('getHeldPeople', async ({ scope, query }) => {
      await written(dependencies.writeRefusals)
      return readHeldPeople(reading, scope.app, { from: query.from, to: query.to })
    }),
    route('getErrorStats', async ({ scope, query }) => {
      await written(dependencies.writeErrors)
      return readErrorStats(reading, scope.app, query, dependencies.clock.nowMs())
    }),
    route('getStats', ({ scope, query }) =>
      readStats({ ...reading, readFresh }, scope.app, {
        from: query.from,
        to: query.to,
        by: query.by,
        channel: query.channel ?? null,
        country: query.country ?? null,
      }),
    ),
    route('getWays', ({ scope, query }) =>
      readWays({ ...reading, readFreshWays }, scope.app, { from: query.from, to: query.to, by: query.by }),
    ),
    route('getRoutes', async ({ scope, role, query }) => {
      await written(dependencies.writeRoutes)
      const { channel = null, country = null } = query
      return readRoutes(dependencies, scope.app, { channel, country, isOperator: role === null })
    }),
    route('getCompanySpend', async ({ scope }) => {
      const spend = await readCompanySpend(reading, scope.companyId)
      return {
        days: spend.days,
        spent: formatMicros(spend.spentMicros),
        since: new Date(spend.sinceMs).toISOString(),
        per_day: formatMicros(spend.perDayMicros),
        days_left: spend.daysLeft,
        by_day: spend.byDay.map(({ dayMs, spentMicros }) => ({
          day: new Date(dayMs).toISOString(),
          spent: formatMicros(spentMicros),
        })),
      }
    }),
  ]
}

/** How things are now, and what a send would do. */
const currentRoutes = (dependencies: InsightDependencies): Route[] => [
  route('getAttention', async ({ scope }) => ({
    items: (await findAttention(dependencies, scope.app)).map(({ subject: _, ...item }) => item),
  })),
  route('previewSend', async ({ scope, body }) => {
    // As with a server key: the caller says where the user is.
    const app = inForce(await getApp(dependencies, scope.app), dependencies.routingAccounts)
    const caller = { app, kind: 'server' } as const
    const clientIp = clientIpOf(caller, body.client_ip, '')
    const recipient = readRecipient(body.recipient, body.country ?? null)?.address ?? null
    const seen = await preview({ ...dependencies, random: Math.random }, caller, {
      recipient: recipient ?? body.recipient,
      clientIp,
    })
    return { ...previewAnswer(seen), recipient, is_simulated: seen.isSimulated }
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
