/** Figures: gathered by the hour once they are final, counted afresh for what came since. */
import type { ChannelName } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import { type AppId, lowestId } from '../../platform/ids.ts'
import { bucketRatio, shortestSeconds, type Tally } from './figures.ts'

const minuteMs = 60_000
/** A verification lives for a hundred minutes at most, and has messages only while it lives. */
const longestLifeMs = 120 * minuteMs
const figuresDays = 400

/** Where in the order of ids the verifications of a time and their messages are. */
const idBounds = (fromMs: number, toMs: number) => [
  lowestId('verification', fromMs),
  lowestId('verification', toMs),
  lowestId('delivery', fromMs - minuteMs),
  lowestId('delivery', toMs + longestLifeMs),
]

/**
 * Steps from verifications (a query with app_id, otp_id, hour, channel, country, created_at, verified_at) to
 * rows as `hourly_figures` has them. A verification counts under the channel it was last on, a message under
 * its own. `messages` says where the messages are.
 */
const countSteps = (verifications: string, messages: string) => `
  started as materialized (${verifications}),
  verified as (
    select app_id, hour, channel, country, count(*)::integer as sends, count(verified_at)::integer as approvals
      from started group by 1, 2, 3, 4
  ), carried as (
    select s.app_id, s.hour, d.channel, s.country, count(*)::integer as messages,
           count(*) filter (where d.status = 'delivered')::integer as delivered,
           count(*) filter (where d.status = 'failed')::integer as failed,
           sum(case when d.charge = 'returned' then 0 else d.price_micros end)::bigint as cost_micros
      from started s join deliveries d on d.app_id = s.app_id and d.otp_id = s.otp_id
     where ${messages} group by 1, 2, 3, 4
  ), bucketed as (
    select app_id, hour, channel, country, count(*)::integer as count,
           floor(ln(greatest(extract(epoch from verified_at - created_at)::float8, ${shortestSeconds}) / ${shortestSeconds})
                 / ln(${bucketRatio}::float8))::smallint as bucket
      from started where verified_at is not null group by 1, 2, 3, 4, bucket
  ), timed as (
    select app_id, hour, channel, country, array_agg(bucket) as approve_buckets, array_agg(count) as approve_counts
      from bucketed group by 1, 2, 3, 4
  ), counted as (
    select app_id, hour, channel, country, coalesce(sends, 0) as sends, coalesce(messages, 0) as messages,
           coalesce(delivered, 0) as delivered, coalesce(failed, 0) as failed, coalesce(approvals, 0) as approvals,
           coalesce(cost_micros, 0) as cost_micros, coalesce(approve_buckets, '{}') as approve_buckets,
           coalesce(approve_counts, '{}') as approve_counts
      from verified full join carried using (app_id, hour, channel, country)
           left join timed using (app_id, hour, channel, country)
  )`

/**
 * One statement moves the mark and adds the figures: both or none, and of two nodes only the one that finds the
 * mark where it expects it. False when it is elsewhere. Over all apps, as upkeep is.
 */
export async function gatherSlice(queryable: Queryable, fromMs: number, toMs: number): Promise<boolean> {
  const gathered = await queryable.query<{ is_moved: boolean }>({
    text: `
      with moved as (
        update figures_progress set gathered_to = $2::timestamptz where gathered_to = $1::timestamptz returning true
      ), ${countSteps(
        `select app_id, otp_id, date_trunc('hour', $1::timestamptz, 'UTC') as hour, channel, coalesce(country, 'none') as country,
                created_at, verified_at
           from verifications where otp_id >= $3 and otp_id < $4 and exists (select 1 from moved)`,
        'd.delivery_id >= $5 and d.delivery_id < $6',
      )}, added as (
        insert into hourly_figures as f (app_id, hour, channel, country, sends, messages, delivered, failed, approvals,
               cost_micros, approve_buckets, approve_counts, expires_at)
        select app_id, hour, channel, country, sends, messages, delivered, failed, approvals, cost_micros,
               approve_buckets, approve_counts, hour + ${figuresDays} * interval '1 day' from counted
        on conflict (app_id, hour, channel, country) do update
           set sends = f.sends + excluded.sends, messages = f.messages + excluded.messages,
               delivered = f.delivered + excluded.delivered, failed = f.failed + excluded.failed,
               approvals = f.approvals + excluded.approvals, cost_micros = f.cost_micros + excluded.cost_micros,
               approve_buckets = f.approve_buckets || excluded.approve_buckets,
               approve_counts = f.approve_counts || excluded.approve_counts
      )
      select exists (select 1 from moved) as is_moved`,
    values: [new Date(fromMs), new Date(toMs), ...idBounds(fromMs, toMs)],
  })
  return gathered.rows[0]?.is_moved ?? false
}

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
  readonly by: Grouping
  readonly channel: ChannelName | null
  readonly country: string | null
}

const asText = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`
const keys: Readonly<Record<Grouping, string>> = {
  hour: asText('hour'),
  day: asText(`date_trunc('day', hour, 'UTC')`),
  channel: 'channel',
  country: 'country',
}

interface TallyRow {
  key: string | null
  sends: bigint
  messages: bigint
  delivered: bigint
  failed: bigint
  approvals: bigint
  cost_micros: bigint
  buckets: number[] | null
  counts: number[] | null
}

/** One row per key, with the times to approve beside it. */
const groupSteps = (source: string, by: Grouping) => `
  summed as (
    select ${keys[by]} as key, sum(sends)::bigint as sends, sum(messages)::bigint as messages,
           sum(delivered)::bigint as delivered, sum(failed)::bigint as failed, sum(approvals)::bigint as approvals,
           sum(cost_micros)::bigint as cost_micros
      from ${source} group by 1
  ), spread as (
    select ${keys[by]} as key, bucket, sum(count)::bigint as count
      from ${source}, unnest(approve_buckets, approve_counts) time (bucket, count) group by 1, 2
  ), grouped as (
    select summed.*, times.buckets, times.counts
      from summed left join (select key, array_agg(bucket) as buckets, array_agg(count) as counts
                               from spread group by key) times using (key)
  )`

export async function readGathered(
  queryable: Queryable,
  appId: AppId,
  { fromMs, toMs, by, channel, country }: FiguresRequest,
): Promise<{ gatheredToMs: number; tallies: Map<string, Tally> }> {
  const found = await queryable.query<TallyRow & { gathered_to: Date }>({
    text: `
      with stored as (
        select * from hourly_figures
         where app_id = $1 and hour >= $2 and hour < $3
           and ($4::text is null or channel = $4) and ($5::text is null or country = $5)
      ), ${groupSteps('stored', by)}
      select progress.gathered_to, grouped.* from figures_progress progress left join grouped on true`,
    values: [appId, new Date(fromMs), new Date(toMs), channel, country],
  })
  return { gatheredToMs: found.rows[0]?.gathered_to.getTime() ?? 0, tallies: talliesOf(found.rows) }
}

/** What has not been gathered yet, counted from the verifications themselves. */
export async function countFresh(
  queryable: Queryable,
  appId: AppId,
  { fromMs, toMs, by, channel, country }: FiguresRequest,
): Promise<Map<string, Tally>> {
  const found = await queryable.query<TallyRow>({
    text: `
      with ${countSteps(
        `select app_id, otp_id, date_trunc('hour', created_at, 'UTC') as hour, channel, coalesce(country, 'none') as country,
                created_at, verified_at
           from verifications
          where app_id = $1 and otp_id >= $2 and otp_id < $3 and ($7::text is null or country = $7)`,
        'd.app_id = $1 and d.delivery_id >= $4 and d.delivery_id < $5',
      )}, fresh as (
        select * from counted where $6::text is null or channel = $6
      ), ${groupSteps('fresh', by)}
      select * from grouped`,
    values: [appId, ...idBounds(fromMs, toMs), channel, country],
  })
  return talliesOf(found.rows)
}

const talliesOf = (rows: readonly TallyRow[]) =>
  new Map(rows.flatMap((row) => (row.key === null ? [] : [[row.key, tallyOf(row)] as const])))

const tallyOf = (row: TallyRow): Tally => ({
  sends: Number(row.sends),
  messages: Number(row.messages),
  delivered: Number(row.delivered),
  failed: Number(row.failed),
  approvals: Number(row.approvals),
  costMicros: row.cost_micros,
  times: new Map((row.buckets ?? []).map((bucket, index) => [bucket, row.counts?.[index] ?? 0])),
})
