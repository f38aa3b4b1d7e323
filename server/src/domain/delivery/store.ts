import type { ChannelName } from '@countersign/contract'
import { bulkOf } from '../../platform/bulk.ts'
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
  /** Whether the delivery has not ended yet. */
  readonly isOpen: boolean
  readonly sentAt: Date | null
  readonly channel: ChannelName
  readonly country: string | null
  /** Whether the delivery is an answer in a chat. */
  readonly isReply: boolean
}

/** Returns subjects in the order of the request; undefined for those that were not found. */
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
  d.reply_to is not null as is_reply, row.position`

/** The position in the request, from 1, by which a found row is matched with it. */
type Numbered<Wanted> = Wanted & { readonly position: number }
const numbered = <Wanted>(wanted: readonly Wanted[]): Numbered<Wanted>[] =>
  wanted.map((each, index) => ({ ...each, position: index + 1 }))

export interface ByDelivery {
  readonly deliveryId: string
  readonly providerId: string
}

const byDelivery = bulkOf<Numbered<ByDelivery>>(
  {
    delivery_id: ['text', (row) => row.deliveryId],
    provider_id: ['text', (row) => row.providerId],
    position: ['integer', (row) => row.position],
  },
  1,
)

/** Finds deliveries by id. A receipt must come from the account that carried the delivery. */
export async function findByDeliveryId(
  queryable: Queryable,
  table: string,
  wanted: readonly ByDelivery[],
): Promise<(ReceiptSubject | undefined)[]> {
  const found = await queryable.query<NameRow>({
    text: `select ${columns} from ${byDelivery.lookedUp}
             join ${table} d on d.delivery_id = row.delivery_id and d.provider_id = row.provider_id
             /* every company: a receipt names the delivery alone */`,
    values: byDelivery.values(numbered(wanted)),
  })
  return subjectsOf(found.rows, wanted.length)
}

export interface ByMessage {
  readonly messageHash: Buffer
  readonly providerId: string
}

const byMessage = bulkOf<Numbered<ByMessage>>(
  {
    provider_id: ['text', (row) => row.providerId],
    message_hash: ['bytea', (row) => row.messageHash],
    position: ['integer', (row) => row.position],
  },
  3,
)

/** Finds deliveries by the provider's own id of the message, as in SMPP; the newest if an id was reused. */
export async function findByMessageId(
  queryable: Queryable,
  wanted: readonly ByMessage[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<(ReceiptSubject | undefined)[]> {
  const found = await queryable.query<NameRow>({
    text: `select ${columns} from ${byMessage.source}
            cross join lateral (
              select * from deliveries d /* every company: the account may be the operator's */
               where d.provider_id = row.provider_id and d.message_hash = row.message_hash
                 and d.delivery_id >= $1 and d.delivery_id < $2
               order by d.delivery_id desc limit 1) d`,
    values: [lowestId('delivery', fromMs), lowestId('delivery', toMs), ...byMessage.values(numbered(wanted))],
  })
  return subjectsOf(found.rows, wanted.length)
}

export interface ConversionReport {
  readonly providerId: string
  /** The provider's id of the message, sealed. */
  readonly messageId: Buffer
  readonly dataKey: number
  readonly codeVersion: number
  readonly codeLength: number
}

/** Finds the newest message that brought the approved code over this channel. */
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

/** A verification of a person who is being erased. */
export interface VerificationRef {
  readonly appId: AppId
  readonly otpId: OtpId
}

const ofRecipient = bulkOf<VerificationRef>(
  {
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    from_id: ['text', (row) => boundsNear('delivery', row.otpId)[0]],
    to_id: ['text', (row) => boundsNear('delivery', row.otpId)[1]],
  },
  2,
)

/**
 * Providers' ids of messages may contain the recipient. They are emptied, and stay empty even if a message that is
 * being handed over gets its id later; receipts still find the message by its hash. Waits for those who are writing an
 * outcome.
 */
export async function forgetMessageIds(
  tenant: Tenant,
  verifications: readonly VerificationRef[],
): Promise<void> {
  // In the order of keys, like all statements that wait for several rows: two calls may erase the same person.
  const inOrder = verifications.toSorted((one, other) => (one.otpId < other.otpId ? -1 : 1))
  await tenant.query({
    text: `update deliveries d
              set message_id = '', reply_to = case when d.reply_to is not null then ''::bytea end
             from ${ofRecipient.source}
            where d.company_id = $1 and d.app_id = row.app_id and d.otp_id = row.otp_id
              and d.delivery_id >= row.from_id and d.delivery_id < row.to_id`,
    values: ofRecipient.values(inOrder),
  })
}
