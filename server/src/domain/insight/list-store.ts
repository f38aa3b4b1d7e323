/** Pages of verifications. The work of a page is bounded by the rows it may look at, not by what the app has. */
import type {
  ChannelName,
  DeliveryStatus,
  MessageProblem,
  OtpStatus,
  RecipientType,
} from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId, OtpId } from '../../platform/ids.ts'
import { messagesNear } from './messages-near.ts'

export interface VerificationPageRequest {
  /** Ids from here on, this one included. */
  readonly since: string
  /** Ids below this one. */
  readonly before: string
  readonly recipientHash: Buffer | null
  readonly status: OtpStatus | null
  readonly channel: ChannelName | null
  readonly country: string | null
  /** A problem that the messages of a verification must have had. */
  readonly trouble: MessageTrouble | null
  readonly limit: number
  readonly mostLookedAt: number
}

/** A message that failed, or had any error: with this code, or with any if it is null. */
export interface MessageTrouble {
  readonly problem: MessageProblem
  readonly code: string | null
}

export interface VerificationOfPage {
  readonly appId: AppId
  readonly otpId: OtpId
  readonly status: OtpStatus
  readonly channel: ChannelName
  readonly maskedRecipient: string
  readonly recipientType: RecipientType
  readonly country: string | null
  readonly sends: number
  readonly attempts: number
  readonly createdAt: Date
  readonly verifiedAt: Date | null
}

interface FoundPage {
  readonly rows: readonly VerificationOfPage[]
  /** The last verification that was looked at, if the bound ended the search; null if nothing is left. */
  readonly edge: OtpId | null
}

interface FoundRow {
  app_id: AppId
  otp_id: OtpId | null
  status: OtpStatus
  channel: ChannelName
  masked_recipient: string
  recipient_type: RecipientType
  country: string | null
  sends: number
  attempts: number
  created_at: Date
  verified_at: Date | null
  edge: OtpId | null
}

const columns = `app_id, otp_id, channel, masked_recipient, recipient_type, country, sends, attempts, created_at, verified_at,
                 case when status = 'pending' and expires_at <= now() then 'expired' else status end as status`

/**
 * The inner limit bounds the search, the outer one the page. Where the search ended is read only for a page that is not
 * full, and from the same snapshot.
 */
export async function readVerifications(
  tenant: Tenant,
  appId: AppId,
  request: VerificationPageRequest,
): Promise<FoundPage> {
  const { since, before, recipientHash, status, channel, country, trouble, limit, mostLookedAt } = request
  const source = trouble ? troubled(trouble, recipientHash ? '$11' : '$10') : 'verifications'
  const range = `company_id = $1 and app_id = $2 and otp_id >= $3 and otp_id < $4 ${recipientHash ? 'and recipient_hash = $10' : ''}`
  const found = await tenant.query<FoundRow>({
    text: `
      with page as (
        select * from (
          select ${columns} from ${source} where ${range} order by otp_id desc limit $5
        ) looked
         where ($6::text is null or status = $6) and ($7::text is null or channel = $7)
           and ($8::text is null or country = $8)
         order by otp_id desc limit $9
      ), edge as (
        select otp_id from ${source} where ${range} order by otp_id desc offset $5::integer - 1 limit 1
      )
      select page.*, case when (select count(*) from page) < $9 then (select otp_id from edge) end as edge
        from (select 1) one left join page on true order by page.otp_id desc`,
    values: [
      appId,
      since,
      before,
      mostLookedAt,
      status,
      channel,
      country,
      limit,
      ...(recipientHash ? [recipientHash] : []),
      ...(trouble && trouble.code !== null ? [trouble.code] : []),
    ],
  })
  return { rows: found.rows.flatMap(rowOf), edge: found.rows[0]?.edge ?? null }
}

/**
 * Verifications found along the index of messages with an error, each once, up to the bound. The id is taken from the
 * index, so that PostgreSQL knows the order and stops when the page is full.
 */
const troubled = ({ problem, code }: MessageTrouble, parameter: string) => `(
          select bad.otp_id, v.company_id, v.app_id, v.recipient_hash, v.channel, v.masked_recipient, v.recipient_type,
                 v.country, v.sends, v.attempts, v.created_at, v.verified_at, v.status, v.expires_at
            from (
            select distinct otp_id from deliveries
             where company_id = $1 and app_id = $2 and otp_id >= $3 and otp_id < $4 and error_code is not null
               ${problem === 'failed_delivery' ? "and status = 'failed'" : ''} ${code === null ? '' : `and error_code = ${parameter}`}
             order by otp_id desc limit $5) bad
           cross join lateral (
             select * from verifications where company_id = $1 and app_id = $2 and otp_id = bad.otp_id limit 1) v
        ) found`

const rowOf = ({ otp_id, ...row }: FoundRow): VerificationOfPage[] =>
  otp_id === null
    ? []
    : [
        {
          appId: row.app_id,
          otpId: otp_id,
          status: row.status,
          channel: row.channel,
          maskedRecipient: row.masked_recipient,
          recipientType: row.recipient_type,
          country: row.country,
          sends: row.sends,
          attempts: row.attempts,
          createdAt: row.created_at,
          verifiedAt: row.verified_at,
        },
      ]

/** Reads verifications of one recipient, over all apps of the company, by an index of its own. */
export async function readVerificationsOf(
  tenant: Tenant,
  recipientHash: Buffer,
  before: string,
  limit: number,
  problem: MessageProblem | null = null,
): Promise<VerificationOfPage[]> {
  const isTroubled = `exists (
              select 1 from deliveries d
               where d.company_id = v.company_id and d.app_id = v.app_id and d.otp_id = v.otp_id and d.error_code is not null
                 ${problem === 'failed_delivery' ? "and d.status = 'failed'" : ''})`
  const found = await tenant.query<FoundRow>({
    text: `select ${columns} from verifications v
            where company_id = $1 and recipient_hash = $2 and otp_id < $3 ${problem ? `and ${isTroubled}` : ''}
            order by otp_id desc limit $4`,
    values: [recipientHash, before, limit],
  })
  return found.rows.flatMap(rowOf)
}

/** The status of the newest message of each verification, by its index, in the few days in which it can be. */
export async function readDeliveryStatuses(
  tenant: Tenant,
  appId: AppId,
  otpIds: readonly OtpId[],
): Promise<Map<string, DeliveryStatus>> {
  const found = await tenant.query<{ otp_id: string; status: DeliveryStatus }>({
    text: `select row.otp_id, d.status
             from ${messagesNear.source}
            cross join lateral (
              select status from deliveries
               where company_id = $1 and app_id = $2 and otp_id = row.otp_id and delivery_id >= row.low and delivery_id < row.high
               order by delivery_id desc limit 1) d`,
    values: [appId, ...messagesNear.values(otpIds)],
  })
  return new Map(found.rows.map((row) => [row.otp_id, row.status]))
}
