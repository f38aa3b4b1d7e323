/** Messages of an app, newest first, each with the state of its verification. */
import type { ChannelName, DeliveryStatus } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId, OtpId } from '../../platform/ids.ts'
import { messagesNear } from './messages-near.ts'

export interface AttemptFilter {
  /** Ids from here on, this one included. */
  readonly since: string
  /** Ids below this one. */
  readonly before: string
  readonly channels: readonly ChannelName[]
  readonly country: string | null
  readonly isApproved: boolean | null
  readonly limit: number
  readonly mostLookedAt: number
}

export interface Attempt {
  readonly deliveryId: string
  readonly otpId: OtpId
  readonly channel: ChannelName
  readonly status: DeliveryStatus
  readonly errorCode: string | null
  readonly costMicros: bigint
  readonly country: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly isApproved: boolean
  readonly isOver: boolean
  readonly maskedRecipient: string
  readonly codeLength: number
  readonly locale: string
}

interface AttemptRow {
  delivery_id: string | null
  otp_id: OtpId
  channel: ChannelName
  status: DeliveryStatus
  error_code: string | null
  cost_micros: bigint
  country: string | null
  created_at: Date
  updated_at: Date
  is_approved: boolean
  is_over: boolean
  masked_recipient: string
  code_length: number
  locale: string
  edge: string | null
}

const columns = `d.delivery_id, d.otp_id, d.channel, d.status, d.error_code, d.country, d.created_at, d.updated_at,
                 case when d.charge = 'returned' then 0 else d.price_micros end as cost_micros,
                 v.status = 'approved' as is_approved, v.status <> 'pending' or v.expires_at <= now() as is_over,
                 v.masked_recipient, v.code_length, v.locale`

const ofVerification = `cross join lateral (
          select * from verifications v where v.company_id = $1 and v.app_id = $2 and v.otp_id = d.otp_id limit 1) v`

/** More messages than any verification has. */
const mostOfOne = 100

export interface AttemptPage {
  readonly rows: readonly Attempt[]
  /** The last message that was looked at, if the bound ended the search; null if nothing is left. */
  readonly edge: string | null
}

/** As in a page of verifications, the inner limit bounds the search and the outer one the page. */
export async function readAttempts(
  tenant: Tenant,
  appId: AppId,
  filter: AttemptFilter,
): Promise<AttemptPage> {
  const { since, before, channels, country, isApproved, limit, mostLookedAt } = filter
  const range = 'company_id = $1 and app_id = $2 and delivery_id >= $3 and delivery_id < $4'
  const found = await tenant.query<AttemptRow>({
    text: `
      with page as (
        select ${columns}
          from (select * from deliveries where ${range} order by delivery_id desc limit $5) d ${ofVerification}
         where d.channel = any($6) and ($7::text is null or d.country = $7)
           and ($8::boolean is null or (v.status = 'approved') = $8)
         order by d.delivery_id desc limit $9
      ), edge as (
        select delivery_id from deliveries where ${range} order by delivery_id desc offset $5::integer - 1 limit 1
      )
      select page.*, case when (select count(*) from page) < $9 then (select delivery_id from edge) end as edge
        from (select 1) one left join page on true order by page.delivery_id desc`,
    values: [appId, since, before, mostLookedAt, channels, country, isApproved, limit],
  })
  return { rows: found.rows.flatMap(attemptOf), edge: found.rows[0]?.edge ?? null }
}

/** The messages of given verifications, newest first. */
export async function readAttemptsOf(
  tenant: Tenant,
  appId: AppId,
  otpIds: readonly OtpId[],
): Promise<Attempt[]> {
  const found = await tenant.query<AttemptRow>({
    text: `select ${columns} from ${messagesNear.source}
            cross join lateral (
              select * from deliveries
               where company_id = $1 and app_id = $2 and otp_id = row.otp_id and delivery_id >= row.low and delivery_id < row.high
               order by delivery_id desc limit ${mostOfOne}) d ${ofVerification}
            order by d.delivery_id desc`,
    values: [appId, ...messagesNear.values(otpIds)],
  })
  return found.rows.flatMap(attemptOf)
}

export async function findAttempt(
  tenant: Tenant,
  appId: AppId,
  deliveryId: string,
): Promise<Attempt | undefined> {
  const found = await tenant.query<AttemptRow>({
    text: `select ${columns} from deliveries d ${ofVerification}
            where d.company_id = $1 and d.app_id = $2 and d.delivery_id = $3`,
    values: [appId, deliveryId],
  })
  return found.rows.flatMap(attemptOf)[0]
}

const attemptOf = ({ delivery_id: deliveryId, ...row }: AttemptRow): Attempt[] =>
  deliveryId === null
    ? []
    : [
        {
          deliveryId,
          otpId: row.otp_id,
          channel: row.channel,
          status: row.status,
          errorCode: row.error_code,
          costMicros: row.cost_micros,
          country: row.country,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
          isApproved: row.is_approved,
          isOver: row.is_over,
          maskedRecipient: row.masked_recipient,
          codeLength: row.code_length,
          locale: row.locale,
        },
      ]
