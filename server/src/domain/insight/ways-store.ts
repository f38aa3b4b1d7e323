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

export const mostMessages = 20_000

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
    text: `
      with message as materialized (
        select otp_id, delivery_id, channel, provider_id, status, case when status = 'failed' then error_code end as error_code,
               case when charge = 'returned' then 0 else price_micros end as cost
          from deliveries where company_id = $1 and app_id = $2 and delivery_id >= $3 and delivery_id < $4
         order by delivery_id desc limit ${mostMessages}
      ), begun as (
        select distinct on (otp_id) otp_id, channel as first_channel from message order by otp_id, delivery_id
      ), joined as (
        select m.*, b.first_channel, v.verified_at is not null as is_approved
          from message m join begun b using (otp_id)
          left join verifications v on v.company_id = $1 and v.app_id = $2 and v.otp_id = m.otp_id
      ), grouped as (
        select ${keys[by]} as key, count(distinct otp_id)::integer as sends, count(*)::integer as messages,
               count(*) filter (where status = 'delivered')::integer as delivered,
               count(*) filter (where status = 'failed')::integer as failed,
               count(distinct otp_id) filter (where is_approved)::integer as approvals, sum(cost)::bigint as cost_micros
          from joined where ${keys[by]} is not null group by 1
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
