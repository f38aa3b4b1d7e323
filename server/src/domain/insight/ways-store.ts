/** Messages with what became of their verifications, grouped anew: bounded by a number of messages. */
import type { Tenant } from '../../platform/database.ts'
import { type AppId, lowestId } from '../../platform/ids.ts'

export type WayGrouping = 'channel_started' | 'provider' | 'error'

export interface Way {
  readonly key: string
  readonly sends: number
  readonly messages: number
  readonly delivered: number
  readonly failed: number
  readonly approvals: number
  readonly costMicros: bigint
}

export const mostMessages = 5_000

/** By account and by error a verification counts once for each that one of its messages had. */
const keys: Readonly<Record<WayGrouping, string>> = {
  channel_started: 'first_channel',
  provider: 'provider_id',
  error: 'error_code',
}

export async function readWays(
  tenant: Tenant,
  appId: AppId,
  { fromMs, toMs, by }: { readonly fromMs: number; readonly toMs: number; readonly by: WayGrouping },
): Promise<{ ways: Way[]; looked: number }> {
  const found = await tenant.query<{
    key: string | null
    sends: number
    messages: number
    delivered: number
    failed: number
    approvals: number
    cost_micros: bigint | null
    looked: number
  }>({
    // The array has those few verifications looked up, where a join would read all that there are.
    text: `
      with message as materialized (
        select otp_id, delivery_id, channel, provider_id, status, case when status = 'failed' then error_code end as error_code,
               case when charge = 'returned' then 0 else price_micros end as cost
          from deliveries where company_id = $1 and app_id = $2 and delivery_id >= $3 and delivery_id < $4
         order by delivery_id desc limit ${mostMessages}
      ), begun as (
        select *${by === 'channel_started' ? ', first_value(channel) over (partition by otp_id order by delivery_id) as first_channel' : ''}
          from message
      ), of_one as (
        select ${keys[by]} as key, otp_id, count(*) as messages, count(*) filter (where status = 'delivered') as delivered,
               count(*) filter (where status = 'failed') as failed, sum(cost) as cost
          from begun where ${keys[by]} is not null group by 1, 2
      ), grouped as (
        select key, count(*)::integer as sends, sum(messages)::integer as messages, sum(delivered)::integer as delivered,
               sum(failed)::integer as failed, count(v.verified_at)::integer as approvals, sum(cost)::bigint as cost_micros
          from of_one
          left join verifications v on v.company_id = $1 and v.app_id = $2 and v.otp_id = of_one.otp_id
                                   and v.otp_id = any(array(select otp_id from of_one))
         group by 1
      )
      select grouped.*, looked.count as looked
        from (select count(*)::integer as count from message) looked left join grouped on true
       order by grouped.sends desc nulls last, grouped.key`,
    values: [appId, lowestId('delivery', fromMs), lowestId('delivery', toMs)],
  })
  const ways = found.rows.flatMap(({ key, looked: _, cost_micros, ...counts }) =>
    key === null ? [] : [{ key, ...counts, costMicros: cost_micros ?? 0n }],
  )
  return { ways, looked: found.rows[0]?.looked ?? 0 }
}
