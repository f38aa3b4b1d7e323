/** The statement that judges a guess. */
import type { ChannelName } from '@countersign/contract'
import { type Tenant, unlessBroken } from '../../../platform/database.ts'
import type { AppId, OtpId } from '../../../platform/ids.ts'
import { partitionOf } from '../../../platform/partitions.ts'
import { sourceOf } from '../../../platform/source.ts'
import { failuresLabel, ipLabel, nextGuessAt } from '../../guard/index.ts'
import { initialStatus, type NewEvent } from '../../webhooks/index.ts'
import { followApproval } from '../approval.ts'

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

const judgedRow = sourceOf('judged', ['company_id', 'app_id'])
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
      ), approved as (
        select * from judged where is_match
      ), ${followApproval({ eventId: '$9', eventBody: '$10', ipLabel: '$13' }, isGuarded)}
      , token as (
        insert into tokens (company_id, app_id, token_hash, otp_id, expires_at)
        select $1, app_id, $8, otp_id, clock_timestamp() + $7 * interval '1 second'
          from approved where $8::bytea is not null
      ), failed_event as (
        insert into events (company_id, app_id, event_id, type, otp_id, body, status)
        select $1, app_id, $11, 'otp.failed', otp_id, $12, ${initialStatus(judgedRow)}
          from judged where not is_match and status = 'failed'
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
