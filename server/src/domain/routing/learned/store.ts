/** What is known of routes: every node adds to it, and all read it. */
import type { ChannelName } from '@countersign/contract'
import { bulkOf } from '../../../platform/bulk.ts'
import { type Queryable, timeNow } from '../../../platform/database.ts'
import { type AppId, boundsNear } from '../../../platform/ids.ts'
import type { Tenant } from '../../../platform/tenant.ts'
import { isOfLivingApp } from '../../tenancy/index.ts'
import type { NotedApproval, NotedRoute, Taken } from './book.ts'
import {
  fellHalfLifeSeconds,
  halfLifeSeconds,
  keptSends,
  longerWhileUsed,
  type Memories,
  spans,
} from './memory.ts'

/** A route that was not used for this long is forgotten. */
const keptDays = 60
const mostRows = 5_000

const routes = bulkOf<NotedRoute>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    channel: ['text', (row) => row.channel],
    country: ['text', (row) => row.country ?? ''],
    provider_id: ['text', (row) => row.providerId],
    sends: ['integer', (row) => row.sends],
    delivered: ['integer', (row) => row.delivered],
    failed: ['integer', (row) => row.failed],
    ripe: ['float8', (row) => row.ripe],
    saved_micros: ['bigint', (row) => Math.round(row.savedMicros)],
  },
  1,
)
const approvals = bulkOf<NotedApproval>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    channel: ['text', (row) => row.channel],
    at: ['timestamptz', (row) => new Date(row.atMs)],
  },
  routes.next,
)

const key = 'company_id, app_id, channel, country, provider_id'
const memoryColumns = [...spans.flatMap((span) => [`ripe_${span}`, `approved_${span}`]), 'fell']
/** The seconds since the memories of a row last faded. */
const elapsed = `greatest(0, extract(epoch from excluded.learned_at - r.learned_at))::float8`
const [, , middle, longest] = spans
const slower = `(1 + ${longerWhileUsed} * power(least(1, r.ripe_${middle} / ${middle}.0), 2))`

/** Does the same as `fade` and `remember` in `memory.ts`. A new row holds exactly what is added. */
function memoryOf(span: number): string {
  const ripe = `excluded.ripe_${span}`
  const kept = `${keptSends} / greatest(${keptSends}, r.ripe_${span})`
  const halfLife = `${halfLifeSeconds}.0${span === longest ? ` * ${slower}` : ''}`
  const left = `exp(-greatest(0, ${ripe}) / ${span}.0) * greatest(${kept}, power(0.5, ${elapsed} / (${halfLife})))`
  const gain = `(case when ${ripe} > 1e-9 then ${span}.0 * (1 - exp(-${ripe} / ${span}.0)) / ${ripe} else 1 end)`
  return `ripe_${span} = greatest(0, r.ripe_${span} * ${left} + ${ripe} * ${gain}),
              approved_${span} = r.approved_${span} * ${left} + excluded.approved_${span} * ${gain}`
}

export interface WrittenRoute
  extends Omit<NotedRoute, 'sends' | 'delivered' | 'failed' | 'ripe' | 'savedMicros'> {
  readonly approved: number
  readonly approveMs: number
  readonly memories: Memories
  /** A text, since PostgreSQL's microseconds do not fit into a `Date`. */
  readonly learnedAt: string
}

/**
 * Adds sums and memories together, in the order of their keys, so that nodes that write at once cannot deadlock. An
 * approval counts for the account that carried the newest message of its verification. If the answer to a commit is
 * lost, something is counted twice: that hardly changes a share, and is not worth a row for each message.
 */
export async function addToRoutes(queryable: Queryable, taken: Taken): Promise<WrittenRoute[]> {
  const bounds = taken.approvals.map(({ otpId }) => boundsNear('delivery', otpId))
  const written = await queryable.query<CountsRow & { learned_as: string }>({
    text: `
      /* every company: what their accounts carried, written together */
      with approval as materialized (
        select row.company_id, row.app_id, row.channel, coalesce(d.country, '') as country, d.provider_id,
               greatest(0, extract(epoch from row.at - coalesce(d.sent_at, d.created_at)) * 1000)::bigint as approve_ms
          from ${approvals.lookedUp}
         cross join lateral (
           select * from deliveries d
            where d.company_id = row.company_id and d.app_id = row.app_id and d.otp_id = row.otp_id
              and d.delivery_id >= $${approvals.next} and d.delivery_id < $${approvals.next + 1}
            order by d.delivery_id desc limit 1) d
         where d.channel = row.channel and d.reply_to is null
      ), noted as (
        select ${key}, sends, delivered, failed, ripe, saved_micros, 0 as approved, 0 as approve_ms from ${routes.source}
         union all
        select ${key}, 0, 0, 0, 0, 0, 1, approve_ms from approval
      ), summed as (
        select ${key}, sum(sends)::bigint as sends, sum(delivered)::bigint as delivered, sum(failed)::bigint as failed,
               sum(approved)::bigint as approved, sum(approve_ms)::bigint as approve_ms, sum(saved_micros)::bigint as saved_micros,
               sum(ripe) as ripe
          from noted row where ${isOfLivingApp()} group by ${key}
      )
      insert into route_counts as r (${key}, sends, delivered, failed, approved, approve_ms, saved_micros,
             ${memoryColumns.join(', ')}, learned_at, expires_at)
      select ${key}, sends, delivered, failed, approved, approve_ms, saved_micros,
             ${spans.map(() => 'ripe, approved').join(', ')}, 0, clock_timestamp(), clock_timestamp() + interval '${keptDays} days'
        from summed order by ${key}
      on conflict (${key}) do update
          set sends = r.sends + excluded.sends, delivered = r.delivered + excluded.delivered, failed = r.failed + excluded.failed,
              approved = r.approved + excluded.approved, approve_ms = r.approve_ms + excluded.approve_ms,
              saved_micros = r.saved_micros + excluded.saved_micros,
              ${spans.map(memoryOf).join(',\n              ')},
              fell = r.fell * power(0.5, ${elapsed} / ${fellHalfLifeSeconds}.0),
              learned_at = greatest(r.learned_at, excluded.learned_at), expires_at = excluded.expires_at
      returning r.*, r.learned_at::text as learned_as`,
    values: [
      ...routes.values(taken.routes),
      ...approvals.values(taken.approvals),
      bounds.reduce((least, [from]) => (least === '' || from < least ? from : least), ''),
      bounds.reduce((most, [, to]) => (to > most ? to : most), ''),
    ],
  })
  return written.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    channel: row.channel,
    country: row.country === '' ? null : row.country,
    providerId: row.provider_id,
    approved: Number(row.approved),
    approveMs: Number(row.approve_ms),
    memories: memoriesOf(row),
    learnedAt: row.learned_as,
  }))
}

const forgotten = bulkOf<WrittenRoute>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    channel: ['text', (row) => row.channel],
    country: ['text', (row) => row.country ?? ''],
    provider_id: ['text', (row) => row.providerId],
    learned_at: ['timestamptz', (row) => row.learnedAt],
    ...Object.fromEntries(
      spans.flatMap((span, index) => [
        [`ripe_${span}`, ['float8', (row: WrittenRoute) => row.memories.spans[index]?.ripe ?? 0]],
        [`approved_${span}`, ['float8', (row: WrittenRoute) => row.memories.spans[index]?.approved ?? 0]],
      ]),
    ),
    fell: ['float8', (row) => row.memories.fell],
  },
  1,
)

/** Writes only if nobody has added to these memories since they were read: whoever did checks them again. */
export async function replaceMemories(queryable: Queryable, rows: readonly WrittenRoute[]): Promise<void> {
  await queryable.query({
    text: `/* every company: what their accounts are not any more */
           update route_counts r set ${memoryColumns.map((name) => `${name} = row.${name}`).join(', ')}
             from ${forgotten.source}
            where r.company_id = row.company_id and r.app_id = row.app_id and r.channel = row.channel
              and r.country = row.country and r.provider_id = row.provider_id and r.learned_at = row.learned_at`,
    values: forgotten.values(rows),
  })
}

interface CountsRow {
  company_id: NotedRoute['companyId']
  app_id: AppId
  channel: ChannelName
  country: string
  provider_id: string
  sends: bigint
  delivered: bigint
  failed: bigint
  approved: bigint
  approve_ms: bigint
  saved_micros: bigint
  ripe_10: number
  approved_10: number
  ripe_25: number
  approved_25: number
  ripe_100: number
  approved_100: number
  ripe_1600: number
  approved_1600: number
  fell: number
}

const memoriesOf = (row: CountsRow): Memories => ({
  spans: [
    { ripe: row.ripe_10, approved: row.approved_10 },
    { ripe: row.ripe_25, approved: row.approved_25 },
    { ripe: row.ripe_100, approved: row.approved_100 },
    { ripe: row.ripe_1600, approved: row.approved_1600 },
  ],
  fell: row.fell,
})

export interface RouteCounts {
  readonly channel: ChannelName
  readonly country: string | null
  readonly providerId: string
  readonly sends: number
  readonly delivered: number
  readonly failed: number
  readonly approved: number
  readonly approveMs: number
  readonly savedMicros: bigint
  readonly memories: Memories
  /** The seconds since the memories last faded. */
  readonly ageSeconds: number
}

/** Reads only the most recently used routes, if an app has very many. */
export async function readRoutes(tenant: Tenant, appId: AppId): Promise<RouteCounts[]> {
  const found = await tenant.query<CountsRow & { age_s: number }>({
    text: `select *, greatest(0, extract(epoch from ${timeNow} - learned_at))::float8 as age_s from route_counts
            where company_id = $1 and app_id = $2 order by learned_at desc limit ${mostRows}`,
    values: [appId],
  })
  return found.rows.map((row) => ({
    channel: row.channel,
    country: row.country === '' ? null : row.country,
    providerId: row.provider_id,
    sends: Number(row.sends),
    delivered: Number(row.delivered),
    failed: Number(row.failed),
    approved: Number(row.approved),
    approveMs: Number(row.approve_ms),
    savedMicros: row.saved_micros,
    memories: memoriesOf(row),
    ageSeconds: row.age_s,
  }))
}
