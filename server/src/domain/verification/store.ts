/** Reads single verifications. Batches, guesses and inbound messages have stores of their own. */
import type { ChannelName, DeliveryStatus, RecipientType, StoredRule } from '@countersign/contract'
import { type Tenant, unlessBroken } from '../../platform/database.ts'
import { type AppId, boundsNear, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import type { LinkMode } from '../routing/index.ts'
import type { NewEvent } from '../webhooks/index.ts'
import { approved, approvedColumns, followApproval } from './approval.ts'
import type { ApprovedOn, Verification } from './verification.ts'

export interface VerificationRow {
  app_id: AppId
  otp_id: OtpId
  company_id: CompanyId
  status: 'pending' | 'approved' | 'failed'
  recipient_type: RecipientType
  recipient: Buffer | null
  recipient_hash: Buffer | null
  masked_recipient: string
  country: string | null
  locale: string
  called: string | null
  channel: ChannelName
  link_mode: LinkMode | null
  link_number: string | null
  data_key: number
  code_version: number
  code_length: number
  code_mac: Buffer
  attempts: number
  max_attempts: number
  guessed_at: Date[]
  event_id: string | null
  sends: number
  max_sends: number
  client_ip: string | null
  ip_key: string | null
  created_at: Date
  expires_at: Date
  resend_at: Date
  verified_at: Date | null
  approved_by: string | null
  replay_until: Date | null
  cancelled_at: Date | null
  spend_micros: bigint
  spend_at: Date | null
}

export const verificationOf = (row: VerificationRow): Verification => ({
  appId: row.app_id,
  otpId: row.otp_id,
  companyId: row.company_id,
  status: row.status,
  recipientType: row.recipient_type,
  recipient: row.recipient,
  recipientHash: row.recipient_hash,
  maskedRecipient: row.masked_recipient,
  country: row.country,
  locale: row.locale,
  friendlyName: row.called,
  channel: row.channel,
  linkMode: row.link_mode,
  linkNumber: row.link_number,
  dataKey: row.data_key,
  codeVersion: row.code_version,
  codeLength: row.code_length,
  codeMac: row.code_mac,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  sends: row.sends,
  maxSends: row.max_sends,
  clientIp: row.client_ip,
  ipKey: row.ip_key,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  resendAt: row.resend_at,
  verifiedAt: row.verified_at,
  approvedBy: row.approved_by,
  replayUntil: row.replay_until,
  spendMicros: row.spend_micros,
  spendAt: row.spend_at,
})

export interface FoundVerification {
  readonly verification: Verification
  readonly isExpired: boolean
  readonly isReplayable: boolean
  /** When somebody cancelled it. */
  readonly cancelledAt: Date | null
  /** When each wrong code came. */
  readonly guessedAt: readonly Date[]
  /** The event that says how the verification ended. */
  readonly eventId: string | null
}

type FoundRow = VerificationRow & { is_expired: boolean; is_replayable: boolean }

const foundColumns = `*, status = 'pending' and expires_at <= clock_timestamp() as is_expired,
                  coalesce(replay_until > clock_timestamp(), false) as is_replayable`

const foundOf = (row: FoundRow): FoundVerification => ({
  verification: verificationOf(row),
  isExpired: row.is_expired,
  isReplayable: row.is_replayable,
  guessedAt: row.guessed_at,
  cancelledAt: row.cancelled_at,
  eventId: row.event_id,
})

/** With `nowMs` the partition of a recent verification is read directly, which saves planning in busy calls. */
export async function findVerification(
  tenant: Tenant,
  appId: AppId,
  otpId: OtpId,
  nowMs?: number,
): Promise<FoundVerification | undefined> {
  const table = nowMs === undefined ? 'verifications' : partitionOf('verifications', otpId, nowMs)
  const found = await tenant.query<FoundRow>({
    name: `find-verification ${table}`,
    text: `select ${foundColumns} from ${table} where company_id = $1 and app_id = $2 and otp_id = $3`,
    values: [appId, otpId],
  })
  return found.rows[0] && foundOf(found.rows[0])
}

/** An hour longer than an idempotency key lives: a verification must be found as the newest while its key replays it. */
const newestWithinMs = 25 * 3_600_000

/** Verifications of a recipient in an app, in any state, newest first; none older than about a day. */
export async function listNewest(
  tenant: Tenant,
  appId: AppId,
  recipientHash: Buffer,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<FoundVerification[]> {
  const found = await tenant.query<FoundRow>({
    name: 'list-newest-verifications',
    text: `select ${foundColumns} from verifications
            where company_id = $1 and recipient_hash = $2 and app_id = $3 and otp_id >= $4
            order by otp_id desc limit $5`,
    values: [recipientHash, appId, lowestId('verification', nowMs - newestWithinMs), limit],
  })
  return found.rows.map(foundOf)
}

/** Approves a pending verification because the backend says so. Undefined if it is not pending. */
export async function approveByBackend(
  tenant: Tenant,
  approval: {
    readonly appId: AppId
    readonly otpId: OtpId
    readonly keyId: string
    readonly event: NewEvent
  },
): Promise<ApprovedOn | undefined> {
  return unlessBroken((isGuarded) => approveOnce(tenant, approval, isGuarded))
}

async function approveOnce(
  tenant: Tenant,
  { appId, otpId, keyId, event }: Parameters<typeof approveByBackend>[1],
  isGuarded: boolean,
): Promise<ApprovedOn | undefined> {
  const decided = await tenant.query<{ channel: ChannelName; country: string | null }>({
    name: isGuarded ? 'approve-by-backend' : 'approve-by-backend-unguarded',
    text: `
      with approved as (
        update verifications v set status = 'approved', verified_at = clock_timestamp(), approved_by = $4, event_id = $5
         where company_id = $1 and app_id = $2 and otp_id = $3 and status = 'pending' and expires_at > clock_timestamp()
        returning channel, ${approvedColumns.join(', ')}, $6::text as event_body
      ), ${followApproval(approved, { isGuarded })}
      select channel, country from approved`,
    values: [appId, otpId, keyId, event.eventId, event.body],
  })
  return decided.rows[0]
}

/** The first key that exchanges the token keeps it; the same key may exchange it again. */
export async function takeToken(
  tenant: Tenant,
  appId: AppId,
  tokenHash: Buffer,
  keyId: string,
): Promise<Verification | undefined> {
  const taken = await tenant.query<VerificationRow>({
    name: 'take-token',
    text: `with taken as (
             update tokens set exchanged_by = $4
              where company_id = $1 and app_id = $2 and token_hash = $3 and expires_at > clock_timestamp()
                and (exchanged_by is null or exchanged_by = $4)
             returning company_id, app_id, otp_id
           )
           select v.* from taken join verifications v on v.company_id = taken.company_id and v.app_id = taken.app_id and v.otp_id = taken.otp_id`,
    values: [appId, tokenHash, keyId],
  })
  return taken.rows[0] && verificationOf(taken.rows[0])
}

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
