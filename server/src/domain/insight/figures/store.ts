/** Figures: those that are gathered, and what came since, counted row by row. */
import type { ChannelName } from '@countersign/contract'
import type { Queryable, Tenant } from '../../../platform/database.ts'
import type { AppId } from '../../../platform/ids.ts'
import { bucketRatio, noTally, shortestSeconds, type Tally } from './figures.ts'
import { boundsOf, charged, type FreshRange } from './fresh-range.ts'

/** How long it took to approve, as the number of a bucket. */
export const bucket = `case when verified_at is not null then
    floor(ln(greatest(date_part('epoch', verified_at - created_at), ${shortestSeconds}) / ${shortestSeconds})
          / ln(${bucketRatio}::float8))::smallint end`

export async function readProgress(queryable: Queryable): Promise<{ gatheredToMs: number; nowMs: number }> {
  const found = await queryable.query<{ gathered_to: Date; now: Date }>({
    text: 'select gathered_to, clock_timestamp() as now from figures_progress',
  })
  const row = found.rows[0]
  if (!row) throw new Error('the table figures_progress is empty')
  return { gatheredToMs: row.gathered_to.getTime(), nowMs: row.now.getTime() }
}

export type Grouping = 'hour' | 'day' | 'channel' | 'country'

export interface FiguresRequest {
  readonly fromMs: number
  readonly toMs: number
  readonly span: 'hour' | 'day'
  readonly by: Grouping
  readonly channel: ChannelName | null
  readonly country: string | null
}

interface TallyRow {
  key: Date | string | null
  sends: bigint
  messages: bigint
  delivered: bigint
  failed: bigint
  approvals: bigint
  cost_micros: bigint
  buckets: number[] | null
  counts: number[] | null
}

/** Also returns the mark up to which figures are gathered, from the same snapshot. */
export async function readGathered(
  tenant: Tenant,
  appId: AppId,
  { fromMs, toMs, span, by, channel, country }: FiguresRequest,
): Promise<{ gatheredToMs: number; tallies: Map<string, Tally> }> {
  const key = by === 'hour' || by === 'day' ? 'starts_at' : by
  const found = await tenant.query<TallyRow & { gathered_to: Date }>({
    text: `
      with stored as (
        select * from figures
         where company_id = $1 and app_id = $2 and span = $3 and starts_at >= $4 and starts_at < $5
           and ($6::text is null or channel = $6) and ($7::text is null or country = $7)
      ), summed as (
        select ${key} as key, sum(sends)::bigint as sends, sum(messages)::bigint as messages,
               sum(delivered)::bigint as delivered, sum(failed)::bigint as failed, sum(approvals)::bigint as approvals,
               sum(cost_micros)::bigint as cost_micros
          from stored group by 1
      ), spread as (
        select ${key} as key, bucket, sum(count)::bigint as count
          from stored, unnest(approve_buckets, approve_counts) time (bucket, count) group by 1, 2
      ), times as (
        select key, array_agg(bucket) as buckets, array_agg(count) as counts from spread group by 1
      )
      select progress.gathered_to, summed.*, times.buckets, times.counts
        from figures_progress progress left join summed on true left join times using (key)`,
    values: [appId, span, new Date(fromMs), new Date(toMs), channel, country],
  })
  const tallies = found.rows.flatMap((row) =>
    row.key === null ? [] : [[keyOf(row.key), tallyOf(row)] as const],
  )
  return { gatheredToMs: found.rows[0]?.gathered_to.getTime() ?? 0, tallies: new Map(tallies) }
}

const tallyOf = (row: TallyRow): Tally => ({
  sends: Number(row.sends),
  messages: Number(row.messages),
  delivered: Number(row.delivered),
  failed: Number(row.failed),
  approvals: Number(row.approvals),
  costMicros: row.cost_micros,
  times: new Map((row.buckets ?? []).map((number, index) => [number, row.counts?.[index] ?? 0])),
})

/** Figures of one hour, channel and country that are not gathered yet. */
export interface FreshTally {
  readonly hourMs: number
  readonly channel: string
  /** `none` for an email address, which has no country. */
  readonly country: string
  readonly tally: Tally
}

const keyOf = (key: Date | string) => (typeof key === 'string' ? key : key.toISOString())
const freshKey = `date_bin('1 hour', created_at, '2000-01-01Z') as hour, channel, coalesce(country, 'none') as country`

interface FreshRow {
  hour: Date
  channel: string
  country: string
}

/** Counts what came since the mark, row by row. */
export async function countFresh(tenant: Tenant, appId: AppId, range: FreshRange): Promise<FreshTally[]> {
  const counted = await Promise.all([countStarted(tenant, appId, range), countCarried(tenant, appId, range)])
  return counted.flat()
}

async function countStarted(tenant: Tenant, appId: AppId, range: FreshRange): Promise<FreshTally[]> {
  const found = await tenant.query<FreshRow & { bucket: number | null; count: number }>({
    // A subquery makes the planner expect few groups, so that it counts in one pass without a sort.
    text: `select hour, channel, country, bucket, count(*)::integer as count
             from (select ${freshKey}, ${bucket} as bucket from verifications
                    where company_id = $1 and app_id = $2 and otp_id >= $3 and otp_id < $4 offset 0) started
            group by 1, 2, 3, 4`,
    values: [appId, ...boundsOf('verification', range)],
  })
  return found.rows.map(({ hour, channel, country, bucket: number, count }) => {
    const approved = number === null ? {} : { approvals: count, times: new Map([[number, count]]) }
    return { hourMs: hour.getTime(), channel, country, tally: { ...noTally, sends: count, ...approved } }
  })
}

async function countCarried(tenant: Tenant, appId: AppId, range: FreshRange): Promise<FreshTally[]> {
  const found = await tenant.query<
    FreshRow & { messages: number; delivered: number; failed: number; cost_micros: bigint }
  >({
    text: `select hour, channel, country, count(*)::integer as messages,
                  count(*) filter (where status = 'delivered')::integer as delivered,
                  count(*) filter (where status = 'failed')::integer as failed, sum(cost)::bigint as cost_micros
             from (select ${freshKey}, status, ${charged} as cost from deliveries
                    where company_id = $1 and app_id = $2 and delivery_id >= $3 and delivery_id < $4 offset 0) carried
            group by 1, 2, 3`,
    values: [appId, ...boundsOf('delivery', range)],
  })
  return found.rows.map(({ hour, channel, country, cost_micros: costMicros, ...counts }) => ({
    hourMs: hour.getTime(),
    channel,
    country,
    tally: { ...noTally, ...counts, costMicros },
  }))
}

/** What all apps of a company spent, with the mark up to which it is gathered. */
export async function readGatheredSpend(
  tenant: Tenant,
  fromMs: number,
): Promise<{ gatheredToMs: number; spentMicros: bigint }> {
  const found = await tenant.query<{ gathered_to: Date; spent_micros: bigint }>({
    text: `select gathered_to,
                  (select coalesce(sum(f.cost_micros), 0)::bigint
                     from apps a
                     join figures f on f.company_id = $1 and f.app_id = a.app_id and f.span = 'hour' and f.starts_at >= $2
                    where a.company_id = $1) as spent_micros
             from figures_progress`,
    values: [new Date(fromMs)],
  })
  const row = found.rows[0]
  return { gatheredToMs: row?.gathered_to.getTime() ?? 0, spentMicros: row?.spent_micros ?? 0n }
}

/** What all apps of a company spent since the mark, by the hour. */
export async function countFreshSpend(tenant: Tenant, range: FreshRange): Promise<Map<number, bigint>> {
  const found = await tenant.query<{ hour: Date; micros: bigint }>({
    text: `select date_bin('1 hour', d.created_at, '2000-01-01Z') as hour, sum(${charged})::bigint as micros
             from apps a join deliveries d on d.company_id = $1 and d.app_id = a.app_id and d.delivery_id >= $2 and d.delivery_id < $3
            where a.company_id = $1 group by 1`,
    values: boundsOf('delivery', range),
  })
  return new Map(found.rows.map(({ hour, micros }) => [hour.getTime(), micros]))
}
