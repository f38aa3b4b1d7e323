/**
 * Verifications by the channel that they began on, by the accounts that carried them, by their errors: gathered with the
 * figures once they are final, and counted row by row for what came since. A verification and all its messages count in
 * the hour in which it was started; by account and by error it counts once for each that one of its messages had.
 */
import type { WaysAnswer } from '@countersign/contract'
import type { Tenant } from '../../../platform/database.ts'
import type { AppId } from '../../../platform/ids.ts'
import type { Tally } from './figures.ts'
import { boundsOf, charged, type FreshRange } from './fresh-range.ts'

export type WayGrouping = WaysAnswer['by']

export interface Way extends Omit<Tally, 'times'> {
  readonly key: string
}

export interface FreshWay extends Way {
  readonly hourMs: number
  readonly by: WayGrouping
}

interface Sources {
  /** Columns that stand before the others, each followed by a comma. */
  readonly owner: '' | 'company_id, app_id, '
  /** Conditions on `verifications`, `deliveries` and `decisions`. */
  readonly started: string
  readonly carried: string
  readonly decided: string
  /** The condition on `deliveries` that were sent later for a verification `v`; absent if `carried` has all of them. */
  readonly later?: string
}

const counts = 'messages, delivered, failed, approvals, cost_micros'
const sumsOf = (sends: string, approvals: string) =>
  `sum(${sends})::integer as sends, sum(messages)::integer as messages, sum(delivered)::integer as delivered,
   sum(failed)::integer as failed, sum(${approvals})::integer as approvals, sum(cost_micros)::bigint as cost_micros`

/** The channel that a verification began on, if it has moved: the guard may have changed it to a link after routing. */
const firstChannel = (decided: string) => `
  (select coalesce(max('whatsapp') filter (where r ->> 'rule' = 'pumping' and r ->> 'outcome' = 'reroute'),
                   max(r -> 'facts' ->> 'channel') filter (where r ->> 'rule' = 'routing'))
     from decisions d cross join json_array_elements(d.rules) r
    where ${decided} and d.company_id = v.company_id and d.app_id = v.app_id and d.otp_id = v.otp_id and d.kind = 'send')`

const messageOf = `otp_id, provider_id, status, case when status = 'failed' then error_code end as error_code, ${charged} as cost`
/** SQL for a verification that may have several messages, over hours. */
const isLong = 'sends > 1 or link_mode is not null'

/** Few verifications are resent, so their later messages are looked up instead of reading hours of all messages. */
const laterMessages = (started: string, later: string) => `
  union all
  select m.* from (select company_id, app_id, otp_id from verifications where ${started} and (${isLong})) v
   cross join lateral (select ${messageOf} from deliveries d
                        where d.company_id = v.company_id and d.app_id = v.app_id and d.otp_id = v.otp_id and ${later}) m`

/**
 * Clauses of which the last is `ways`. A verification that was sent once is grouped at once; one that was sent more often
 * keeps its id until its accounts and errors are known, so that it counts once for each.
 */
export const waysClauses = ({ owner, started, carried, decided, later }: Sources): string => `
  met as (
    select ${owner}hour, first_channel, provider_id, error_code, long_id, count(*) as sends, count(status) as messages,
           count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed,
           count(*) filter (where is_approved) as approvals, coalesce(sum(cost), 0) as cost_micros
      -- A subquery of its own makes the planner expect few groups, so that it counts in one pass without a sort.
      from (select ${owner}hour, first_channel, provider_id, error_code, long_id, status, is_approved, cost
              from (select ${owner}otp_id, date_bin('1 hour', created_at, '2000-01-01Z') as hour,
                           verified_at is not null as is_approved,
                           case when ${isLong} then otp_id end as long_id,
                           coalesce(case when sends > 1 then ${firstChannel(decided)} end, channel) as first_channel
                      from verifications v where ${started} offset 0) begun
              -- A full one cannot be done by comparing each with each, which a plan made for a young table would do.
              full join (select ${messageOf} from deliveries where ${carried}${later ? laterMessages(started, later) : ''}
                         offset 0) message using (otp_id)
            offset 0) carried
     where hour is not null
     group by ${owner}hour, first_channel, provider_id, error_code, long_id
  ), one as (
    select ${owner}hour, name, key, long_id, ${sumsOf('sends', 'approvals')}
      from met cross join lateral (values ('channel_started', first_channel), ('provider', provider_id), ('error', error_code))
                                  way (name, key)
     where key is not null group by ${owner}hour, name, key, long_id
  ), ways as (
    select ${owner}hour, name, key, ${sumsOf(
      'case when long_id is null then sends else 1 end',
      'case when long_id is null then approvals else least(approvals, 1) end',
    )}
      from one group by ${owner}hour, name, key
  )`

/** Adds `ways` to their hours and days; `span` has the days for which each is kept. */
export const insertWays = `
  insert into way_figures as w (company_id, app_id, span, starts_at, way, key, sends, ${counts}, expires_at)
  select company_id, app_id, span, starts_at, name, key, sends, ${counts}, starts_at + days * interval '1 day'
    from ways cross join span
  on conflict (company_id, app_id, span, starts_at, way, key) do update
     set sends = w.sends + excluded.sends, messages = w.messages + excluded.messages,
         delivered = w.delivered + excluded.delivered, failed = w.failed + excluded.failed,
         approvals = w.approvals + excluded.approvals, cost_micros = w.cost_micros + excluded.cost_micros`

interface WayRow {
  key: string
  sends: number
  messages: number
  delivered: number
  failed: number
  approvals: number
  cost_micros: bigint
}

const wayOf = ({ cost_micros: costMicros, ...way }: WayRow): Way => ({ ...way, costMicros })

interface WaysRequest {
  readonly fromMs: number
  readonly toMs: number
  readonly span: 'hour' | 'day'
  readonly by: WayGrouping
}

/** Also returns the mark up to which they are gathered, from the same snapshot. */
export async function readGatheredWays(
  tenant: Tenant,
  appId: AppId,
  { fromMs, toMs, span, by }: WaysRequest,
): Promise<{ gatheredToMs: number; ways: Way[] }> {
  const found = await tenant.query<Omit<WayRow, 'key'> & { key: string | null; gathered_to: Date }>({
    text: `
      with stored as (
        select key, ${sumsOf('sends', 'approvals')} from way_figures
         where company_id = $1 and app_id = $2 and span = $3 and starts_at >= $4 and starts_at < $5 and way = $6 group by key
      )
      select progress.gathered_to, stored.* from figures_progress progress left join stored on true`,
    values: [appId, span, new Date(fromMs), new Date(toMs), by],
  })
  const ways = found.rows.flatMap(({ gathered_to: _, key, ...row }) =>
    key === null ? [] : [wayOf({ ...row, key })],
  )
  return { gatheredToMs: found.rows[0]?.gathered_to.getTime() ?? 0, ways }
}

/** Counts what came since the mark, by hour and in all groupings at once. */
export async function countFreshWays(tenant: Tenant, appId: AppId, range: FreshRange): Promise<FreshWay[]> {
  const own = 'company_id = $1 and app_id = $2'
  const found = await tenant.query<WayRow & { hour: Date; name: WayGrouping }>({
    text: `with ${waysClauses({
      owner: '',
      started: `${own} and otp_id >= $3 and otp_id < $4`,
      carried: `${own} and delivery_id >= $5 and delivery_id < $6`,
      decided: 'd.company_id = $1 and d.app_id = $2 and d.decision_id >= $7 and d.decision_id < $8',
    })} select * from ways`,
    values: [
      appId,
      ...(['verification', 'delivery', 'decision'] as const).flatMap((kind) => boundsOf(kind, range)),
    ],
  })
  return found.rows.map(({ hour, name, ...row }) => ({ hourMs: hour.getTime(), by: name, ...wayOf(row) }))
}
