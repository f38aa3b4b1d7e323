/** Gathers figures of verifications that are final, for all apps at once. */
import { type Queryable, timeNow } from '../../../platform/database.ts'
import { lowestId, timeOfId } from '../../../platform/ids.ts'
import { daysKeptDays, hoursKeptDays } from './figures.ts'
import { charged } from './fresh-range.ts'
import { bucket } from './store.ts'
import { insertWays, waysClauses } from './ways-store.ts'

/** The lowest ids of a time. */
const idsAt = (timeMs: number) => [lowestId('verification', timeMs), lowestId('delivery', timeMs)]

const minuteMs = 60_000
/** A verification lives for less than this, so its last message comes no later. */
const longestMs = 120 * minuteMs

/** SQL for verifications between two ids: once for the choice of partitions, and once for the index. */
const between = (first: string, end: string) =>
  `otp_id >= ${first} and otp_id < ${end} and substr(otp_id, 5) >= substr(${first}, 5) and substr(otp_id, 5) < substr(${end}, 5)`
const started = between('$3', '$5')
const within = between('$1', '$2')

/**
 * One statement moves the mark and adds the figures of all apps: both or none, and only on the node that finds the mark
 * where it expects it. The slice must be within one hour.
 */
export async function gatherSlice(queryable: Queryable, fromMs: number, toMs: number): Promise<void> {
  await queryable.query({
    text: `
      with moved as (
        update figures_progress set gathered_to = $2::timestamptz where gathered_to = $1::timestamptz returning true
      ), timed as (
        select company_id, app_id, channel, coalesce(country, 'none') as country, ${bucket} as bucket,
               count(*)::integer as count /* every company: upkeep */
          from verifications
         where ${started}
           and exists (select 1 from moved)
         group by 1, 2, 3, 4, 5
      ), started as (
        select company_id, app_id, channel, country, sum(count)::integer as sends,
               sum(count) filter (where bucket is not null)::integer as approvals,
               array_agg(bucket) filter (where bucket is not null) as approve_buckets,
               array_agg(count) filter (where bucket is not null) as approve_counts
          from timed group by 1, 2, 3, 4
      ), carried as (
        select company_id, app_id, channel, coalesce(country, 'none') as country, count(*)::integer as messages,
               count(*) filter (where status = 'delivered')::integer as delivered,
               count(*) filter (where status = 'failed')::integer as failed, sum(${charged})::bigint as cost_micros
          from deliveries where delivery_id >= $4 and delivery_id < $6 and exists (select 1 from moved)
         group by 1, 2, 3, 4
      ), span as (
        select 'hour' as span, date_trunc('hour', $1::timestamptz, 'UTC') as starts_at, ${hoursKeptDays} as days
         union all
        select 'day', date_trunc('day', $1::timestamptz, 'UTC'), ${daysKeptDays}
      ), ${waysClauses({
        owner: 'company_id, app_id, ',
        started: `${started} and exists (select 1 from moved)`,
        carried:
          'delivery_id >= $4 and delivery_id < $7 and otp_id >= $3 and otp_id < $5 and exists (select 1 from moved)',
        later: 'd.delivery_id >= $7 and d.delivery_id < $10 and exists (select 1 from moved)',
        decided: 'd.decision_id >= $8 and d.decision_id < $9',
      })}, added as (${insertWays})
      insert into figures as f (company_id, app_id, span, starts_at, channel, country, sends, messages, delivered, failed, approvals,
             cost_micros, approve_buckets, approve_counts, expires_at)
      select company_id, app_id, span, starts_at, channel, country, coalesce(sends, 0), coalesce(messages, 0), coalesce(delivered, 0),
             coalesce(failed, 0), coalesce(approvals, 0), coalesce(cost_micros, 0), coalesce(approve_buckets, '{}'),
             coalesce(approve_counts, '{}'), starts_at + days * interval '1 day'
        from started full join carried using (company_id, app_id, channel, country) cross join span
      on conflict (company_id, app_id, span, starts_at, channel, country) do update
         set sends = f.sends + excluded.sends, messages = f.messages + excluded.messages,
             delivered = f.delivered + excluded.delivered, failed = f.failed + excluded.failed,
             approvals = f.approvals + excluded.approvals, cost_micros = f.cost_micros + excluded.cost_micros,
             (approve_buckets, approve_counts) = (
               select coalesce(array_agg(bucket), '{}'), coalesce(array_agg(count), '{}')
                 from (select bucket, sum(count)::integer as count
                         from unnest(f.approve_buckets || excluded.approve_buckets,
                                     f.approve_counts || excluded.approve_counts) time (bucket, count)
                        group by bucket) merged)`,
    values: [
      new Date(fromMs),
      new Date(toMs),
      ...idsAt(fromMs),
      ...idsAt(toMs),
      lowestId('delivery', toMs + minuteMs),
      lowestId('decision', fromMs),
      lowestId('decision', toMs + minuteMs),
      lowestId('delivery', toMs + longestMs),
    ],
  })
}

/**
 * Moves the mark back to the start of a day, and forgets the figures from then on, so that they are gathered again. Both
 * or none, and only on the node that finds the mark where it expects it.
 */
export async function gatherAgain(queryable: Queryable, fromMs: number, dayStartMs: number): Promise<void> {
  const later = (span: 'hour' | 'day', days: number) =>
    `span = '${span}' and expires_at >= $2::timestamptz + interval '${days} days'`
  const isLater = `(${later('hour', hoursKeptDays)} or ${later('day', daysKeptDays)}) and exists (select 1 from moved)`
  await queryable.query({
    text: `
      with moved as (
        update figures_progress set gathered_to = $2::timestamptz where gathered_to = $1::timestamptz returning true
      ), forgotten as (
        delete from figures /* every company: upkeep */ where ${isLater}
      )
      delete from way_figures where ${isLater}`,
    values: [new Date(fromMs), new Date(dayStartMs)],
  })
}

/** When the first verification or message of this time was made; null if there is none. */
export async function findFirst(queryable: Queryable, fromMs: number, toMs: number): Promise<number | null> {
  const found = await queryable.query<{ id: string }>({
    text: `(select otp_id as id from verifications /* every company: upkeep */
             where ${within} order by substr(otp_id, 5) limit 1)
           union all
           (select delivery_id from deliveries /* every company: upkeep */
             where delivery_id >= $3 and delivery_id < $4 order by delivery_id limit 1)`,
    values: [
      lowestId('verification', fromMs),
      lowestId('verification', toMs),
      lowestId('delivery', fromMs),
      lowestId('delivery', toMs),
    ],
  })
  return found.rows.length === 0 ? null : Math.min(...found.rows.map(({ id }) => timeOfId(id)))
}

/** Moves the mark over a time with nothing in it, on the node that finds it where it expects it. */
export async function moveMark(queryable: Queryable, fromMs: number, toMs: number): Promise<void> {
  await queryable.query({
    text: 'update figures_progress set gathered_to = $2 where gathered_to = $1',
    values: [new Date(fromMs), new Date(toMs)],
  })
}

/** The end of a slice that has at most this many verifications: after its start, and not after `toMs`. */
export async function endOfSlice(
  queryable: Queryable,
  { fromMs, toMs, most }: { readonly fromMs: number; readonly toMs: number; readonly most: number },
): Promise<number> {
  const found = await queryable.query<{ otp_id: string }>({
    text: `select otp_id from verifications /* every company: upkeep */
            where ${within} order by substr(otp_id, 5) offset $3 limit 1`,
    values: [lowestId('verification', fromMs), lowestId('verification', toMs), most],
  })
  const [next] = found.rows
  return next ? Math.max(timeOfId(next.otp_id), fromMs + 1) : toMs
}

/** Whether all verifications of the slice have been over for this long. */
export async function isSliceOver(
  queryable: Queryable,
  { fromMs, toMs, overForMs }: { readonly fromMs: number; readonly toMs: number; readonly overForMs: number },
): Promise<boolean> {
  const found = await queryable.query({
    text: `select 1 from verifications /* every company: upkeep */
            where ${within}
              and status = 'pending' and expires_at > ${timeNow} - $3 * interval '1 ms'
            limit 1`,
    values: [lowestId('verification', fromMs), lowestId('verification', toMs), overForMs],
  })
  return found.rowCount === 0
}
