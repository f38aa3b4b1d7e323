/** The reads of a batch. Locks are taken in one order everywhere: companies, verifications, limits. */
import type { ChannelName, ExceptionKind } from '@countersign/contract'
import { heldBulkOf, onceEach, withHeld } from '../../../platform/bulk.ts'
import type { Held, Tenant } from '../../../platform/database.ts'
import type { AppId, CompanyId, OtpId } from '../../../platform/ids.ts'
import type { LimitRow, LimitState } from '../../guard/index.ts'
import type { Verification } from '../verification.ts'
import { type VerificationRow, verificationOf } from '../verification-row.ts'
import { stateKey } from './batch.ts'

export async function lockVerification(
  tenant: Tenant,
  appId: AppId,
  otpId: OtpId,
): Promise<Verification | undefined> {
  const found = await tenant.query<VerificationRow>({
    name: 'lock-verification',
    text: 'select * from verifications where company_id = $1 and app_id = $2 and otp_id = $3 for update',
    values: [appId, otpId],
  })
  return found.rows[0] && verificationOf(found.rows[0])
}

export interface ReplayRow {
  readonly companyId: CompanyId
  readonly keyHash: Buffer
  readonly recipientHash: Buffer
  readonly sealedAnswer: Buffer
}

const replayKey = heldBulkOf<WantedReplay>(
  ({ companyId }) => companyId,
  { key_hash: ['bytea', (row) => row.keyHash] },
  1,
)

export interface WantedReplay {
  readonly companyId: CompanyId
  readonly keyHash: Buffer
}

export async function readReplays(held: Held, wanted: readonly WantedReplay[]): Promise<ReplayRow[]> {
  if (wanted.length === 0) return []
  const found = await held.query<{
    company_id: CompanyId
    key_hash: Buffer
    recipient_hash: Buffer
    answer: Buffer
  }>({
    name: 'read-replays',
    text: `with ${withHeld} /* every company: those that the transaction holds */
           select stored.* from ${replayKey.lookedUp} wanted
            cross join lateral (select k.company_id, k.key_hash, k.recipient_hash, k.answer from idempotency_keys k
                                 where k.company_id = wanted.company_id and k.key_hash = wanted.key_hash
                                   and k.expires_at > clock_timestamp() limit 1) stored`,
    values: replayKey.lookUpValues(wanted, held),
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    keyHash: row.key_hash,
    recipientHash: row.recipient_hash,
    sealedAnswer: row.answer,
  }))
}

export interface AppRecipient {
  readonly companyId: CompanyId
  readonly appId: string
  readonly recipientHash: Buffer
}

const recipient = heldBulkOf<AppRecipient>(
  ({ companyId }) => companyId,
  { app_id: ['text', (row) => row.appId], recipient_hash: ['bytea', (row) => row.recipientHash] },
  1,
)
/** A bound above the number of channels that exist. */
const mostChannels = 10

interface Remembered {
  /** Keyed by app and recipient. */
  readonly unreachable: Map<string, Set<ChannelName>>
  /** Keyed by company and recipient. */
  readonly exceptions: Map<string, ExceptionKind>
}

export async function readRemembered(held: Held, wanted: readonly AppRecipient[]): Promise<Remembered> {
  const found = await held.query<{
    company_id: string
    app_id: string
    recipient_hash: Buffer
    channel: ChannelName | null
    exception: ExceptionKind | null
  }>({
    name: 'read-remembered',
    text: `with ${withHeld} /* every company: those that the transaction holds */
           select wanted.company_id, wanted.app_id, wanted.recipient_hash, stored.channel, stored.exception
             from ${recipient.lookedUp} wanted
            cross join lateral (
                  (select u.channel, null as exception from unreachable u
                    where u.company_id = wanted.company_id and u.app_id = wanted.app_id
                      and u.recipient_hash = wanted.recipient_hash and u.expires_at > clock_timestamp()
                    limit ${mostChannels})
                  union all
                  (select null, e.kind from exceptions e
                    where e.company_id = wanted.company_id and e.recipient_hash = wanted.recipient_hash
                      and (e.expires_at is null or e.expires_at > clock_timestamp()) limit 1)) stored`,
    values: recipient.lookUpValues(wanted, held),
  })
  const unreachable = new Map<string, Set<ChannelName>>()
  const exceptions = new Map<string, ExceptionKind>()
  for (const row of found.rows) {
    if (row.exception) exceptions.set(stateKey(row.company_id, row.recipient_hash), row.exception)
    if (!row.channel) continue
    const key = stateKey(row.app_id, row.recipient_hash)
    unreachable.set(key, (unreachable.get(key) ?? new Set()).add(row.channel))
  }
  return { unreachable, exceptions }
}

interface WantedLimit {
  readonly companyId: CompanyId
  readonly row: LimitRow
}

const limitKey = heldBulkOf<WantedLimit>(
  ({ companyId }) => companyId,
  { limit_key: ['bytea', ({ row }) => row.key] },
  1,
)

/** With `isLocked`, the rows are locked one after the other, in the order of companies and keys. */
export async function readLimits(
  held: Held,
  wanted: readonly WantedLimit[],
  isLocked: boolean,
): Promise<Map<string, LimitState>> {
  const rows = onceEach(wanted, ({ companyId, row }) => stateKey(companyId, row.key)).sort(byCompanyAndKey)
  const found = await held.query<{ company_id: string; limit_key: Buffer; state: number[] }>({
    name: isLocked ? 'lock-limits' : 'read-limits',
    text: `with ${withHeld} /* every company: those that the transaction holds */
           select stored.* from ${limitKey.lookedUp} wanted
            cross join lateral (select l.company_id, l.limit_key, l.state from limits l
                                 where l.company_id = wanted.company_id and l.limit_key = wanted.limit_key
                                 limit 1 ${isLocked ? 'for update' : ''}) stored`,
    values: limitKey.lookUpValues(rows, held),
  })
  return new Map(found.rows.map((row) => [stateKey(row.company_id, row.limit_key), row.state]))
}

function byCompanyAndKey(left: WantedLimit, right: WantedLimit): number {
  if (left.companyId !== right.companyId) return left.companyId < right.companyId ? -1 : 1
  return Buffer.compare(left.row.key, right.row.key)
}

/** Finds recipients whom the app has approved within retention. Each is looked up by one step along the index. */
export async function readKnown(held: Held, wanted: readonly AppRecipient[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const found = await held.query<{ app_id: string; recipient_hash: Buffer }>({
    name: 'read-known',
    text: `with ${withHeld} /* every company: those that the transaction holds */
           select wanted.app_id, wanted.recipient_hash from ${recipient.lookedUp} wanted
            cross join lateral (select 1 from verifications v
                                 where v.company_id = wanted.company_id and v.recipient_hash = wanted.recipient_hash
                                   and v.app_id = wanted.app_id and v.status = 'approved' limit 1) approved`,
    values: recipient.lookUpValues(wanted, held),
  })
  return new Set(found.rows.map((row) => stateKey(row.app_id, row.recipient_hash)))
}
