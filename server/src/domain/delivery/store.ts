import type { ChannelName } from '@countersign/contract'
import type { ProviderError } from '../../channels/channel.ts'
import { isStill, type Queryable, type Tenant, unlessBroken } from '../../platform/database.ts'
import { type AppId, boundsNear, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import { sourceOf } from '../../platform/source.ts'
import { returnedSpend } from '../billing/index.ts'
import { initialStatus, type NewEvent } from '../webhooks/index.ts'

const done = sourceOf('done', ['company_id', 'app_id'])

/** Good only for the attempt that it was taken with. */
export interface Finish {
  readonly appId: AppId
  readonly deliveryId: string
  readonly attempt: number
  readonly providerId: string
}

export interface Sent {
  readonly message: { readonly sealedId: Buffer; readonly hash: Buffer } | null
  readonly error: ProviderError | null
  readonly entryId: string
  readonly nowMs: number
}

/** A late word counts too: what a provider has taken is not handed over again, whoever holds it by now. */
export async function markSent(tenant: Tenant, finish: Finish, sent: Sent): Promise<void> {
  const table = partitionOf('deliveries', finish.deliveryId, sent.nowMs)
  await tenant.query({
    name: `mark-sent ${table}`,
    text: `
      with done as (
        update ${table}
           set status = 'sent', charge = 'captured', provider_id = $5, message_id = $6, message_hash = $10, error_code = $7, error_message = $8,
               sent_at = clock_timestamp(), updated_at = clock_timestamp()
         where company_id = $1 and app_id = $2 and delivery_id = $3 and attempt >= $4 and ${isStill('queued')}
        returning otp_id, delivery_id, price_micros
      )
      insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
      select $1, $9, 'capture', 0, otp_id, delivery_id from done where price_micros > 0`,
    values: [
      finish.appId,
      finish.deliveryId,
      finish.attempt,
      finish.providerId,
      sent.message?.sealedId ?? null,
      sent.error?.code ?? null,
      sent.error?.message ?? null,
      sent.entryId,
      sent.message?.hash ?? null,
    ],
  })
}

export async function postpone(
  tenant: Tenant,
  finish: Finish,
  next: {
    readonly afterSeconds: number
    readonly error: ProviderError | null
    /** The account that has just been tried and will not be again. */
    readonly triedProvider: string | null
  },
): Promise<void> {
  await tenant.query({
    name: 'postpone',
    text: `update deliveries
              set next_attempt_at = least(clock_timestamp() + $6 * interval '1 second', give_up_at),
                  provider_id = $5, error_code = $7, error_message = $8, updated_at = clock_timestamp(),
                  held_by = null, tried = case when $9::text is null then tried else array_append(tried, $9) end
            where company_id = $1 and app_id = $2 and delivery_id = $3 and attempt = $4 and ${isStill('queued')}`,
    values: [
      finish.appId,
      finish.deliveryId,
      finish.attempt,
      finish.providerId,
      next.afterSeconds,
      next.error?.code ?? null,
      next.error?.message ?? null,
      next.triedProvider,
    ],
  })
}

const daysUnreachable = 30

/** Money back, event, and memory of an unreachable person: all in the commit that fails the delivery. */
const failure = (condition: string, isCounted: boolean) => `
  with done as (
    update deliveries
       set status = 'failed', charge = 'returned', error_code = $4, error_message = $5, event_id = $7,
           updated_at = clock_timestamp()
     where company_id = $1 and app_id = $2 and delivery_id = $3 and ${condition}
    returning company_id, app_id, otp_id, delivery_id, channel, price_micros, spend_micros, created_at
  ), balance as (
    update companies c set balance_micros = c.balance_micros + done.price_micros
      from done where c.company_id = $1 and done.price_micros > 0
    returning c.company_id
  ), ${isCounted ? `${returnedSpend('done', 'balance')},` : ''} entry as (
    insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
    select $1, $6, 'return', price_micros, otp_id, delivery_id from done where price_micros > 0
  ), event as (
    insert into events (company_id, app_id, event_id, type, otp_id, delivery_id, body, status)
    select $1, app_id, $7, 'delivery.failed', otp_id, delivery_id, $8, ${initialStatus(done)} from done
  ), memory as (
    insert into unreachable as u (company_id, app_id, recipient_hash, channel, expires_at)
    select v.company_id, v.app_id, v.recipient_hash, done.channel, clock_timestamp() + ${daysUnreachable} * interval '1 day'
      from done join verifications v on v.company_id = done.company_id and v.app_id = done.app_id and v.otp_id = done.otp_id
     where $9 and v.recipient_hash is not null
    on conflict (company_id, app_id, recipient_hash, channel) do update set expires_at = excluded.expires_at
  )
  select 1 from done`

export interface Failure {
  readonly error: ProviderError
  readonly isUnreachable: boolean
  readonly entryId: string
  readonly event: NewEvent
}

const failureValues = (
  appId: AppId,
  deliveryId: string,
  { error, entryId, event, isUnreachable }: Failure,
) => [appId, deliveryId, error.code, error.message, entryId, event.eventId, event.body, isUnreachable]

export async function markFailed(tenant: Tenant, finish: Finish, fail: Failure): Promise<void> {
  await unlessBroken((isCounted) =>
    tenant.query({
      name: isCounted ? 'mark-failed' : 'mark-failed-uncounted',
      text: failure(`attempt = $10 and ${isStill('queued')}`, isCounted),
      values: [...failureValues(finish.appId, finish.deliveryId, fail), finish.attempt],
    }),
  )
}

/** A failure receipt: also before our own write of the acceptance. */
export async function failByReceipt(
  tenant: Tenant,
  appId: AppId,
  deliveryId: string,
  fail: Failure,
): Promise<void> {
  await unlessBroken((isCounted) =>
    tenant.query({
      name: isCounted ? 'fail-by-receipt' : 'fail-by-receipt-uncounted',
      text: failure(`status in ('queued', 'sent')`, isCounted),
      values: failureValues(appId, deliveryId, fail),
    }),
  )
}

export async function deliverByReceipt(
  tenant: Tenant,
  appId: AppId,
  deliveryId: string,
  { entryId, event, nowMs }: { readonly entryId: string; readonly event: NewEvent; readonly nowMs: number },
): Promise<void> {
  const table = partitionOf('deliveries', deliveryId, nowMs)
  await tenant.query({
    name: `deliver-by-receipt ${table}`,
    text: `
      with target as (
        select app_id, delivery_id, charge from ${table}
         where company_id = $1 and app_id = $2 and delivery_id = $3 and status in ('queued', 'sent') for update
      ), done as (
        update ${table} d
           set status = 'delivered', charge = 'captured', error_code = null, error_message = null, event_id = $5,
               updated_at = clock_timestamp()
          from target
         where d.company_id = $1 and d.app_id = $2 and d.delivery_id = $3 and d.status in ('queued', 'sent')
        returning d.company_id, d.app_id, d.otp_id, d.delivery_id, d.price_micros, target.charge as charge_before
      ), entry as (
        insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
        select $1, $4, 'capture', 0, otp_id, delivery_id
          from done where price_micros > 0 and charge_before = 'reserved'
      )
      insert into events (company_id, app_id, event_id, type, otp_id, delivery_id, body, status)
      select $1, app_id, $5, 'delivery.delivered', otp_id, delivery_id, $6, ${initialStatus(done)} from done`,
    values: [appId, deliveryId, entryId, event.eventId, event.body],
  })
}

export interface DeliveryName {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly deliveryId: string
  readonly otpId: OtpId
}

interface NameRow {
  company_id: CompanyId
  app_id: AppId
  delivery_id: string
  otp_id: OtpId
}

const nameOf = (row: NameRow | undefined): DeliveryName | undefined =>
  row && { companyId: row.company_id, appId: row.app_id, deliveryId: row.delivery_id, otpId: row.otp_id }

/** A receipt names the delivery alone. The account that carried it must be the one that speaks of it. */
export async function findByDeliveryId(
  queryable: Queryable,
  deliveryId: string,
  providerId: string,
): Promise<DeliveryName | undefined> {
  const found = await queryable.query<NameRow>({
    name: 'find-by-delivery-id',
    text: `select company_id, app_id, delivery_id, otp_id from deliveries
            where delivery_id = $1 and provider_id = $2 /* every company: a receipt names the delivery alone */`,
    values: [deliveryId, providerId],
  })
  return nameOf(found.rows[0])
}

/** By the provider's own name for the message, as SMPP does. */
export async function findByMessageId(
  queryable: Queryable,
  messageHash: Buffer,
  providerId: string,
  sinceMs: number,
): Promise<DeliveryName | undefined> {
  const found = await queryable.query<NameRow>({
    name: 'find-by-message-id',
    text: `select company_id, app_id, delivery_id, otp_id from deliveries /* every company: the account may be the operator's */
            where provider_id = $1 and message_hash = $2 and delivery_id >= $3 order by delivery_id desc limit 1`,
    values: [providerId, messageHash, lowestId('delivery', sinceMs)],
  })
  return nameOf(found.rows[0])
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
              and d.code_version = v.code_version and d.message_id is not null
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
