/** What the statements that take deliveries have in common: the days that they look at, and what they return. */
import type { ChannelName } from '@countersign/contract'
import { type AppId, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import { leaseSeconds } from '../../platform/pulse.ts'
import type { DueDelivery } from './delivery.ts'

/** Deliveries are looked for by ids between two times, so that few partitions are searched. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

export const boundsOf = ({ fromMs, toMs }: Span) =>
  [lowestId('delivery', fromMs), lowestId('delivery', toMs)] as const

export interface DueRow {
  app_id: AppId
  delivery_id: string
  company_id: CompanyId
  otp_id: OtpId
  channel: ChannelName
  provider_id: string
  tried: string[]
  reply_to: Buffer | null
  attempt: number
  code_version: number
  recipient: Buffer | null
  country: string | null
  locale: string
  called: string | null
  data_key: number
  code_length: number
  stale_reason: DueDelivery['staleReason']
  ttl_s: number
  is_taken_over: boolean
  was_taken_over: boolean
}

/** SQL for why the code is no longer useful, and for how long it still is. */
export const staleness = `
            case when d.give_up_at <= clock_timestamp() then 'expired'
                 when v.status <> 'pending' then 'finished'
                 when v.code_version <> d.code_version then 'superseded' end as stale_reason,
            extract(epoch from d.give_up_at - clock_timestamp())::integer as ttl_s`

/**
 * `$1` is the worker; `$2` to `$5` bound the days of deliveries and verifications. There are three steps, each of which
 * finds its rows by the whole key: in one join, PostgreSQL would look for deliveries by their verification and scan the
 * day.
 */
export const take = (reason: string, due: string) => `
  /* every company: ${reason} */
  with ${due}, taken as (
    update deliveries d
       set attempt = d.attempt + 1, held_by = $1,
           next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second',
           taken_over_at = case when due.is_taken_over then coalesce(d.taken_over_at, clock_timestamp()) else d.taken_over_at end
      from due
     where d.company_id = due.company_id and d.app_id = due.app_id and d.otp_id = due.otp_id and d.delivery_id = due.delivery_id
       and d.delivery_id >= $2 and d.delivery_id < $3
    returning d.app_id, d.delivery_id, d.company_id, d.otp_id, d.channel, d.provider_id, d.tried, d.reply_to, d.attempt,
              d.code_version, d.give_up_at, due.is_taken_over, due.taken_over_at is not null as was_taken_over
  )
  select d.app_id, d.delivery_id, d.company_id, d.otp_id, d.channel, d.provider_id, d.tried, d.reply_to, d.attempt,
         d.code_version, d.is_taken_over, d.was_taken_over, v.recipient, v.country, v.locale, v.called, v.data_key, v.code_length, ${staleness}
    from taken d
    left join lateral (
      select * from verifications v
       where v.company_id = d.company_id and v.app_id = d.app_id and v.otp_id = d.otp_id and v.otp_id >= $4 and v.otp_id < $5
       limit 1) v on true`

export const found = (isTakenOver: boolean) =>
  `d.company_id, d.app_id, d.delivery_id, d.otp_id, d.taken_over_at, ${isTakenOver} as is_taken_over`
/** The delivery is within the days, and still to be handed over. */
export const isOpen = `d.delivery_id >= $2 and d.delivery_id < $3 and d.status = 'queued'`

export const valuesOf = (workerId: string, span: Span) => [
  workerId,
  ...boundsOf(span),
  lowestId('verification', span.fromMs),
  lowestId('verification', span.toMs),
]

export const dueOf = (row: DueRow): DueDelivery => ({
  appId: row.app_id,
  deliveryId: row.delivery_id,
  companyId: row.company_id,
  otpId: row.otp_id,
  channel: row.channel,
  providerId: row.provider_id,
  tried: row.tried,
  replyTo: row.reply_to,
  attempt: row.attempt,
  codeVersion: row.code_version,
  recipient: row.recipient,
  plain: null,
  country: row.country,
  locale: row.locale,
  friendlyName: row.called,
  dataKey: row.data_key,
  codeLength: row.code_length,
  staleReason: row.stale_reason,
  ttlSeconds: row.ttl_s,
  takenOver: row.is_taken_over
    ? row.was_taken_over
      ? 'again'
      : 'once'
    : row.was_taken_over
      ? 'before'
      : 'no',
})
