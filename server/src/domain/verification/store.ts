/** Reading and finishing single verifications. What a batch writes is in `batch-store.ts`. */
import type { ChannelName, DeliveryStatus, RecipientType, StoredRule } from '@countersign/contract'
import { type Tenant, unlessBroken } from '../../platform/database.ts'
import { type AppId, boundsNear, type CompanyId, type OtpId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import { approvedSpend } from '../billing/index.ts'
import { approvalNote, failuresLabel, ipLabel, nextGuessAt } from '../guard/index.ts'
import type { LinkMode } from '../routing/index.ts'
import { initialStatus, type NewEvent } from '../webhooks/index.ts'
import type { Verification } from './verification.ts'

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
  /** When each wrong code came. */
  readonly guessedAt: readonly Date[]
  /** That tells of its end. */
  readonly eventId: string | null
}

export async function findVerification(
  tenant: Tenant,
  appId: AppId,
  otpId: OtpId,
): Promise<FoundVerification | undefined> {
  const found = await tenant.query<VerificationRow & { is_expired: boolean; is_replayable: boolean }>({
    name: 'find-verification',
    text: `select *, status = 'pending' and expires_at <= clock_timestamp() as is_expired,
                  coalesce(replay_until > clock_timestamp(), false) as is_replayable
             from verifications where company_id = $1 and app_id = $2 and otp_id = $3`,
    values: [appId, otpId],
  })
  const row = found.rows[0]
  return (
    row && {
      verification: verificationOf(row),
      isExpired: row.is_expired,
      isReplayable: row.is_replayable,
      guessedAt: row.guessed_at,
      eventId: row.event_id,
    }
  )
}

export interface GuessInput {
  readonly appId: AppId
  readonly otpId: OtpId
  /** The time by the database's clock, or nearly. */
  readonly nowMs: number
  readonly codeLength: number
  readonly codeMacs: readonly Buffer[]
  readonly keyId: string
  readonly tokenTtlSeconds: number
  readonly codeTtlSeconds: number
  /** Whether an alarm over wrong codes makes the next guess wait. */
  readonly isSlowed: boolean
  /** Null where the key gets no token. */
  readonly tokenHash: Buffer | null
  readonly approvedEvent: NewEvent
  readonly failedEvent: NewEvent
}

export interface JudgedGuess {
  readonly status: 'pending' | 'approved' | 'failed'
  readonly isMatch: boolean
  readonly channel: ChannelName
  readonly attemptsRemaining: number
  readonly verifiedAt: Date | null
}

/** An approval takes its send out of the address's count, so that an office behind one address is not locked out. */
export const giveBackSend = (approved: string, label: string) => `
        update limits l
           set state = l.state[:array_position(l.state, hit.at) - 1] || l.state[array_position(l.state, hit.at) + 1:]
          from (select company_id, convert_to(${label} || ':' || ip_key, 'UTF8') as limit_key,
                       (extract(epoch from created_at) * 1000)::bigint as at
                  from ${approved}) hit
         where l.company_id = hit.company_id and l.limit_key = hit.limit_key and hit.at = any(l.state)`

const failedGuessKeepSeconds = 86_400
const failedGuessesKept = 1_000

/**
 * One statement judges a guess and does all that follows: approval, event, token, the address's send given
 * back; or the attempt spent, the failure counted, the last one's event. It touches only a verification
 * that can still take a guess; nothing returned means that it cannot, and why is read afterwards. The wait of
 * an alarmed app is for pending ones only: an approved one's wrong codes have to spend their attempts, or its
 * code could be tried for free. What the guard notes must not be why a right code is not accepted.
 */
export async function judgeGuess(
  tenant: Tenant,
  guess: GuessInput,
  onUnguarded: (error: unknown) => void,
): Promise<JudgedGuess | undefined> {
  return unlessBroken((isGuarded) => judgeOnce(tenant, guess, isGuarded), onUnguarded)
}

async function judgeOnce(
  tenant: Tenant,
  guess: GuessInput,
  isGuarded: boolean,
): Promise<JudgedGuess | undefined> {
  const table = partitionOf('verifications', guess.otpId, guess.nowMs)
  const judged = await tenant.query<{
    status: 'pending' | 'approved' | 'failed'
    is_match: boolean
    channel: ChannelName
    attempts_remaining: number
    verified_at: Date | null
  }>({
    name: `judge-guess${isGuarded ? '' : '-unguarded'} ${table}`,
    text: `
      with judged as (
        update ${table} v
           set status = case when v.status <> 'pending' then v.status
                             when v.code_mac = any($5) then 'approved'
                             when v.attempts + 1 >= v.max_attempts then 'failed'
                             else 'pending' end,
               attempts = v.attempts + case when v.code_mac = any($5) then 0 else 1 end,
               guessed_at = case when v.code_mac = any($5) then v.guessed_at else v.guessed_at || clock_timestamp() end,
               verified_at = case when v.status = 'pending' and v.code_mac = any($5) then clock_timestamp() else v.verified_at end,
               approved_by = case when v.status = 'pending' and v.code_mac = any($5) then $6 else v.approved_by end,
               event_id = case when v.status <> 'pending' then v.event_id
                               when v.code_mac = any($5) then $9
                               when v.attempts + 1 >= v.max_attempts then $11
                               else v.event_id end,
               replay_until = case when v.status = 'pending' and v.code_mac = any($5)
                                   then clock_timestamp() + $7 * interval '1 second' else v.replay_until end
         where v.company_id = $1 and v.app_id = $2 and v.otp_id = $3 and v.code_length = $4 and v.attempts < v.max_attempts
           and (v.status = 'pending' and v.expires_at > clock_timestamp() and v.link_mode is distinct from 'link_inbound'
                and (v.attempts = 0 or not $15 or ${nextGuessAt('v', '$16')} <= clock_timestamp())
                or v.status = 'approved' and not v.code_mac = any($5))
        returning v.company_id, v.app_id, v.otp_id, v.status, v.channel, v.verified_at, v.recipient_hash, v.ip_key,
                  v.country, v.created_at, v.spend_at, v.spend_micros, v.code_mac = any($5) as is_match, v.max_attempts - v.attempts as attempts_remaining
      ), event as (
        insert into events (company_id, app_id, event_id, type, otp_id, body, status)
        select $1, app_id, case when is_match then $9 else $11 end,
               case when is_match then 'otp.approved' else 'otp.failed' end, otp_id,
               case when is_match then $10 else $12 end, ${initialStatus('judged.app_id')}
          from judged where is_match or status = 'failed'
      ), token as (
        insert into tokens (company_id, app_id, token_hash, otp_id, expires_at)
        select $1, app_id, $8, otp_id, clock_timestamp() + $7 * interval '1 second'
          from judged where is_match and $8::bytea is not null
      ), given_back as (${giveBackSend('judged where is_match', '$13')}
      ${
        isGuarded
          ? `), noted as (${approvalNote('judged where is_match')}
             ), spent as (${approvedSpend('judged where is_match')}`
          : ''
      }
      ), failure as (
        insert into limits as l (company_id, limit_key, state, expires_at)
        select $1, convert_to($14 || ':', 'UTF8') || recipient_hash,
               array[(extract(epoch from clock_timestamp()) * 1000)::bigint],
               clock_timestamp() + ${failedGuessKeepSeconds} * interval '1 second'
          from judged where not is_match and recipient_hash is not null
        on conflict (company_id, limit_key) do update
           set state = (l.state || excluded.state)[greatest(1, cardinality(l.state) + 2 - ${failedGuessesKept}):],
               expires_at = excluded.expires_at
      )
      select status, is_match, channel, attempts_remaining::integer, verified_at from judged`,
    values: [
      guess.appId,
      guess.otpId,
      guess.codeLength,
      guess.codeMacs,
      guess.keyId,
      guess.tokenTtlSeconds,
      guess.tokenHash,
      guess.approvedEvent.eventId,
      guess.approvedEvent.body,
      guess.failedEvent.eventId,
      guess.failedEvent.body,
      ipLabel(guess.appId),
      failuresLabel(guess.appId),
      guess.isSlowed,
      guess.codeTtlSeconds,
    ],
  })
  const row = judged.rows[0]
  return (
    row && {
      status: row.status,
      isMatch: row.is_match,
      channel: row.channel,
      attemptsRemaining: row.attempts_remaining,
      verifiedAt: row.verified_at,
    }
  )
}

/** How long the next guess of a pending verification has to wait in an alarmed app; nothing if it need not. */
export async function findGuessWait(
  tenant: Tenant,
  { appId, otpId, codeTtlSeconds }: Pick<GuessInput, 'appId' | 'otpId' | 'codeTtlSeconds'>,
): Promise<number | undefined> {
  const found = await tenant.query<{ wait_s: number }>({
    name: 'find-guess-wait',
    text: `select ceil(extract(epoch from least(${nextGuessAt('v', '$4')}, v.expires_at) - clock_timestamp()))::integer as wait_s
             from verifications v
            where v.company_id = $1 and v.app_id = $2 and v.otp_id = $3 and v.status = 'pending' and v.attempts > 0
              and ${nextGuessAt('v', '$4')} > clock_timestamp()`,
    values: [appId, otpId, codeTtlSeconds],
  })
  return found.rows[0]?.wait_s
}

/** The first key to come with the token keeps it; the same key may come again. */
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

export interface DeliveryView {
  readonly deliveryId: string
  readonly channel: ChannelName
  readonly status: DeliveryStatus
  readonly createdAt: Date
  /** When a provider took it; null also for what was sent before this was recorded. */
  readonly sentAt: Date | null
  readonly updatedAt: Date
  readonly attempts: number
  /** From a process that died with it: the message may have left twice. */
  readonly takenOverAt: Date | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** What was charged and not returned. */
  readonly costMicros: bigint
  /** That tells of its end. */
  readonly eventId: string | null
}

const maxListed = 100

export async function listDeliveries(tenant: Tenant, appId: AppId, otpId: OtpId): Promise<DeliveryView[]> {
  const found = await tenant.query<{
    delivery_id: string
    channel: ChannelName
    status: DeliveryStatus
    created_at: Date
    sent_at: Date | null
    updated_at: Date
    attempt: number
    taken_over_at: Date | null
    error_code: string | null
    error_message: string | null
    cost_micros: bigint
    event_id: string | null
  }>({
    name: 'list-deliveries',
    text: `select delivery_id, channel, status, created_at, sent_at, updated_at, attempt, taken_over_at,
                  error_code, error_message, event_id,
                  case when charge = 'returned' then 0 else price_micros end as cost_micros
             from deliveries
            where company_id = $1 and app_id = $2 and otp_id = $3 and delivery_id >= $4 and delivery_id < $5
            order by created_at, delivery_id limit ${maxListed}`,
    values: [appId, otpId, ...boundsNear('delivery', otpId)],
  })
  return found.rows.map((row) => ({
    deliveryId: row.delivery_id,
    channel: row.channel,
    status: row.status,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    updatedAt: row.updated_at,
    attempts: row.attempt,
    takenOverAt: row.taken_over_at,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    costMicros: row.cost_micros,
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
