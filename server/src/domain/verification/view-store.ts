/** What people are shown of a verification: its deliveries and its decisions. */
import type { ChannelName, DeliveryStatus, StoredRule } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import { type AppId, boundsNear, type OtpId } from '../../platform/ids.ts'

type Charge = 'reserved' | 'captured' | 'returned'

export interface DeliveryView {
  readonly deliveryId: string
  readonly channel: ChannelName
  /** Only the code of the newest version is accepted. */
  readonly codeVersion: number
  readonly status: DeliveryStatus
  readonly createdAt: Date
  /** When a provider took the message; null also for messages from before this was recorded. */
  readonly sentAt: Date | null
  readonly updatedAt: Date
  readonly attempts: number
  /** When it was taken over from a process that died with it: the message may have left twice. */
  readonly takenOverAt: Date | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** The account that carried the message, or that it waits for. */
  readonly providerId: string
  /** What was charged and not returned. */
  readonly costMicros: bigint
  readonly priceMicros: bigint
  readonly charge: Charge
  /** The text of the message, with the code masked. */
  readonly sentText: string | null
  /** The event that says how the delivery ended. */
  readonly eventId: string | null
}

const maxListed = 100

export async function listDeliveries(tenant: Tenant, appId: AppId, otpId: OtpId): Promise<DeliveryView[]> {
  const found = await tenant.query<{
    delivery_id: string
    channel: ChannelName
    code_version: number
    status: DeliveryStatus
    created_at: Date
    sent_at: Date | null
    updated_at: Date
    attempt: number
    taken_over_at: Date | null
    error_code: string | null
    error_message: string | null
    provider_id: string
    cost_micros: bigint
    price_micros: bigint
    charge: Charge
    sent_text: string | null
    event_id: string | null
  }>({
    name: 'list-deliveries',
    text: `select delivery_id, channel, code_version, status, created_at, sent_at, updated_at, attempt, taken_over_at,
                  error_code, error_message, event_id, provider_id, price_micros, charge, sent_text,
                  case when charge = 'returned' then 0 else price_micros end as cost_micros
             from deliveries
            where company_id = $1 and app_id = $2 and otp_id = $3 and delivery_id >= $4 and delivery_id < $5
            order by created_at, delivery_id limit ${maxListed}`,
    values: [appId, otpId, ...boundsNear('delivery', otpId)],
  })
  return found.rows.map((row) => ({
    deliveryId: row.delivery_id,
    channel: row.channel,
    codeVersion: row.code_version,
    status: row.status,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    updatedAt: row.updated_at,
    attempts: row.attempt,
    takenOverAt: row.taken_over_at,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    providerId: row.provider_id,
    costMicros: row.cost_micros,
    priceMicros: row.price_micros,
    charge: row.charge,
    sentText: row.sent_text,
    eventId: row.event_id,
  }))
}

export interface DecisionView {
  readonly kind: 'send' | 'resend'
  readonly at: Date
  readonly rules: readonly StoredRule[]
}

export async function listDecisions(tenant: Tenant, appId: AppId, otpId: OtpId): Promise<DecisionView[]> {
  const found = await tenant.query<{ kind: 'send' | 'resend'; created_at: Date; rules: StoredRule[] }>({
    text: `select kind, created_at, rules from decisions
            where company_id = $1 and app_id = $2 and otp_id = $3 and decision_id >= $4 and decision_id < $5
            order by created_at, decision_id limit ${maxListed}`,
    values: [appId, otpId, ...boundsNear('decision', otpId)],
  })
  return found.rows.map((row) => ({ kind: row.kind, at: row.created_at, rules: row.rules }))
}
