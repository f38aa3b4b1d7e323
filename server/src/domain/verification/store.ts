/** Finds and changes single verifications. Batches, guesses and inbound messages have stores of their own. */
import type { ChannelName } from '@countersign/contract'
import { type Tenant, unlessBroken } from '../../platform/database.ts'
import { type AppId, lowestId, type OtpId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import type { NewEvent } from '../webhooks/index.ts'
import { approved, approvedColumns, followApproval } from './approval.ts'
import type { ApprovedOn, Verification } from './verification.ts'
import { type VerificationRow, verificationOf } from './verification-row.ts'

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
