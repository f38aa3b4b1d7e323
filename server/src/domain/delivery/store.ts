import type { ChannelName } from '@countersign/contract'
import type { Queryable, Tenant } from '../../platform/database.ts'
import { type AppId, boundsNear, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import type { Named } from './finish-statement.ts'

interface NameRow {
  company_id: CompanyId
  app_id: AppId
  delivery_id: string
  otp_id: OtpId
  is_open: boolean
  sent_at: Date | null
  channel: ChannelName
  country: string | null
  is_reply: boolean
  position: number
}

/** The delivery that a receipt is about. */
export interface ReceiptSubject extends Named {
  /** Whether its end is not known yet. */
  readonly isOpen: boolean
  readonly sentAt: Date | null
  readonly channel: ChannelName
  readonly country: string | null
  /** An answer in a chat. */
  readonly isReply: boolean
}

/** In the order of the request. */
function subjectsOf(rows: readonly NameRow[], count: number): (ReceiptSubject | undefined)[] {
  const subjects: (ReceiptSubject | undefined)[] = Array.from({ length: count })
  for (const row of rows)
    subjects[row.position - 1] = {
      companyId: row.company_id,
      appId: row.app_id,
      deliveryId: row.delivery_id,
      otpId: row.otp_id,
      isOpen: row.is_open,
      sentAt: row.sent_at,
      channel: row.channel,
      country: row.country,
      isReply: row.is_reply,
    }
  return subjects
}

const columns = `d.company_id, d.app_id, d.delivery_id, d.otp_id, d.status in ('queued', 'sent') as is_open, d.sent_at, d.channel, d.country,
  d.reply_to is not null as is_reply, wanted.position::integer`

export interface ByDelivery {
  readonly deliveryId: string
  readonly providerId: string
}

/** A receipt must come from the account that carried the delivery. */
export async function findByDeliveryId(
  queryable: Queryable,
  table: string,
  wanted: readonly ByDelivery[],
): Promise<(ReceiptSubject | undefined)[]> {
  const found = await queryable.query<NameRow>({
    text: `select ${columns} from unnest((select $1::text[]), (select $2::text[])) with ordinality wanted (delivery_id, provider_id, position)
             join ${table} d on d.delivery_id = wanted.delivery_id and d.provider_id = wanted.provider_id
             /* every company: a receipt names the delivery alone */`,
    values: [wanted.map(({ deliveryId }) => deliveryId), wanted.map(({ providerId }) => providerId)],
  })
  return subjectsOf(found.rows, wanted.length)
}

export interface ByMessage {
  readonly messageHash: Buffer
  readonly providerId: string
}

/** By the provider's own id of the message, as in SMPP; the newest if it has used the id again. */
export async function findByMessageId(
  queryable: Queryable,
  wanted: readonly ByMessage[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<(ReceiptSubject | undefined)[]> {
  const found = await queryable.query<NameRow>({
    text: `select ${columns} from unnest($1::text[], $2::bytea[]) with ordinality wanted (provider_id, message_hash, position)
            cross join lateral (
              select * from deliveries d /* every company: the account may be the operator's */
               where d.provider_id = wanted.provider_id and d.message_hash = wanted.message_hash
                 and d.delivery_id >= $3 and d.delivery_id < $4
               order by d.delivery_id desc limit 1) d`,
    values: [
      wanted.map(({ providerId }) => providerId),
      wanted.map(({ messageHash }) => messageHash),
      lowestId('delivery', fromMs),
      lowestId('delivery', toMs),
    ],
  })
  return subjectsOf(found.rows, wanted.length)
}

export interface ConversionReport {
  readonly providerId: string
  /** Sealed. */
  readonly messageId: Buffer
  readonly dataKey: number
  readonly codeVersion: number
  readonly codeLength: number
}

/** The newest message that brought the approved code over a given channel. */
export async function findConversion(
  tenant: Tenant,
  appId: AppId,
  otpId: OtpId,
  channel: ChannelName,
): Promise<ConversionReport | undefined> {
  const found = await tenant.query<{
    provider_id: string
    message_id: Buffer
    data_key: number
    code_version: number
    code_length: number
  }>({
    text: `select d.provider_id, d.message_id, v.data_key, d.code_version, v.code_length
             from verifications v
             join deliveries d on d.company_id = $1 and d.app_id = v.app_id and d.otp_id = v.otp_id
            where v.company_id = $1 and v.app_id = $2 and v.otp_id = $3 and d.channel = $4 and v.channel = $4
              and d.code_version = v.code_version and d.message_id > ''
              and d.delivery_id >= $5 and d.delivery_id < $6
            order by d.delivery_id desc limit 1`,
    values: [appId, otpId, channel, ...boundsNear('delivery', otpId)],
  })
  const row = found.rows[0]
  return (
    row && {
      providerId: row.provider_id,
      messageId: row.message_id,
      dataKey: row.data_key,
      codeVersion: row.code_version,
      codeLength: row.code_length,
    }
  )
}

/** A verification of a person who is erased. */
export interface VerificationRef {
  readonly appId: AppId
  readonly otpId: OtpId
}

/**
 * Providers' ids of messages may contain the recipient. They become empty, and stay so when a message that is being
 * handed over gets its id later; receipts find it by its hash. Waits for whoever is writing an outcome.
 */
export async function forgetMessageIds(
  tenant: Tenant,
  verifications: readonly VerificationRef[],
): Promise<void> {
  // In the order of their keys, like all statements that wait for several rows: two may erase the same person.
  const inOrder = verifications.toSorted((one, other) => (one.otpId < other.otpId ? -1 : 1))
  const near = inOrder.map(({ otpId }) => boundsNear('delivery', otpId))
  await tenant.query({
    text: `update deliveries d
              set message_id = '', reply_to = case when d.reply_to is not null then ''::bytea end
             from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as of_person (app_id, otp_id, from_id, to_id)
            where d.company_id = $1 and d.app_id = of_person.app_id and d.otp_id = of_person.otp_id
              and d.delivery_id >= of_person.from_id and d.delivery_id < of_person.to_id`,
    values: [
      inOrder.map(({ appId }) => appId),
      inOrder.map(({ otpId }) => otpId),
      near.map(([from]) => from),
      near.map(([, to]) => to),
    ],
  })
}
