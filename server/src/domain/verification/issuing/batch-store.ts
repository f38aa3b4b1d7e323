/** The statements of a batch. Locks are taken in one order everywhere: companies, verifications, limits. */
import type { ChannelName, ExceptionKind } from '@countersign/contract'
import { bulkOf } from '../../../platform/bulk.ts'
import { columnsOf, type Tenant } from '../../../platform/database.ts'
import type { AppId, OtpId } from '../../../platform/ids.ts'
import { leaseSeconds, type Reservation } from '../../delivery/index.ts'
import type { LimitRow, LimitState } from '../../guard/index.ts'
import { type VerificationRow, verificationOf } from '../store.ts'
import type { Verification } from '../verification.ts'
import {
  type BatchWrites,
  type ChargedLimit,
  type Funds,
  type NewDecision,
  type NewDelivery,
  type NewReplay,
  stateKey,
} from './batch.ts'

/** A batch has the row since it began; to a preview it promises nothing. */
export async function readFunds(tenant: Tenant): Promise<Funds> {
  const found = await tenant.query<{ metered: boolean; balance_micros: bigint }>({
    name: 'read-funds',
    text: 'select metered, balance_micros from companies where company_id = $1',
  })
  const row = found.rows[0]
  if (!row) throw new Error('a call of a company that is not there')
  return { isMetered: row.metered, balanceMicros: row.balance_micros }
}

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
  readonly keyHash: Buffer
  readonly recipientHash: Buffer
  readonly sealedAnswer: Buffer
}

export async function readReplays(tenant: Tenant, keyHashes: readonly Buffer[]): Promise<ReplayRow[]> {
  if (keyHashes.length === 0) return []
  const found = await tenant.query<{ key_hash: Buffer; recipient_hash: Buffer; answer: Buffer }>({
    name: 'read-replays',
    text: `select key_hash, recipient_hash, answer from idempotency_keys
            where company_id = $1 and key_hash = any($2::bytea[]) and expires_at > clock_timestamp()`,
    values: [keyHashes],
  })
  return found.rows.map((row) => ({
    keyHash: row.key_hash,
    recipientHash: row.recipient_hash,
    sealedAnswer: row.answer,
  }))
}

/** What is remembered of recipients. */
interface Remembered {
  readonly nowMs: number
  /** By app and recipient. */
  readonly unreachable: Map<string, Set<ChannelName>>
  /** By company and recipient. */
  readonly exceptions: Map<string, ExceptionKind>
}

/** Also brings the database's time: the one clock of all that the batch decides. */
export async function readUnreachable(
  tenant: Tenant,
  wanted: readonly { readonly appId: string; readonly recipientHash: Buffer }[],
): Promise<Remembered> {
  const found = await tenant.query<{
    now_ms: bigint
    app_id: string | null
    recipient_hash: Buffer | null
    channel: ChannelName | null
    exception: ExceptionKind | null
  }>({
    name: 'read-unreachable',
    text: `select (extract(epoch from time.now) * 1000)::bigint as now_ms, stored.app_id, stored.recipient_hash, stored.channel,
                  stored.exception
             from (select clock_timestamp() as now) time
             left join lateral (
               select app_id, recipient_hash, channel, null as exception from unreachable
                where company_id = $1 and app_id = any($2) and recipient_hash = any($3) and expires_at > time.now
                union all
               select null, recipient_hash, null, kind from exceptions
                where company_id = $1 and recipient_hash = any($3) and (expires_at is null or expires_at > time.now)
             ) stored on true`,
    values: columnsOf(wanted, ['appId', 'recipientHash']),
  })
  const unreachable = new Map<string, Set<ChannelName>>()
  const exceptions = new Map<string, ExceptionKind>()
  for (const row of found.rows) {
    if (row.recipient_hash && row.exception) {
      exceptions.set(stateKey(tenant.companyId, row.recipient_hash), row.exception)
    }
    if (!row.app_id || !row.recipient_hash || !row.channel) continue
    const key = stateKey(row.app_id, row.recipient_hash)
    unreachable.set(key, (unreachable.get(key) ?? new Set()).add(row.channel))
  }
  return { nowMs: Number(found.rows[0]?.now_ms), unreachable, exceptions }
}

export async function readLimits(
  tenant: Tenant,
  wanted: readonly LimitRow[],
  forUpdate: boolean,
): Promise<Map<string, LimitState>> {
  const found = await tenant.query<{ limit_key: Buffer; state: number[] }>({
    name: forUpdate ? 'lock-limits' : 'read-limits',
    text: `select limit_key, state from limits
            where company_id = $1 and limit_key = any($2) order by limit_key ${forUpdate ? 'for update' : ''}`,
    values: [wanted.map((check) => check.key)],
  })
  return new Map(found.rows.map((row) => [stateKey(tenant.companyId, row.limit_key), row.state]))
}

/** Whom the app has approved before, in what is kept. Person by person: each is a step along the index. */
export async function readKnown(
  tenant: Tenant,
  wanted: readonly { readonly appId: string; readonly recipientHash: Buffer }[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const found = await tenant.query<{ app_id: string; recipient_hash: Buffer }>({
    name: 'read-known',
    text: `select wanted.app_id, wanted.recipient_hash
             from unnest($2::text[], $3::bytea[]) wanted (app_id, recipient_hash)
            cross join lateral (select 1 from verifications v
                                 where v.company_id = $1 and v.recipient_hash = wanted.recipient_hash
                                   and v.app_id = wanted.app_id and v.status = 'approved' limit 1) approved`,
    values: columnsOf(wanted, ['appId', 'recipientHash']),
  })
  return new Set(found.rows.map((row) => stateKey(row.app_id, row.recipient_hash)))
}

const hoursReplayable = 24

const verification = bulkOf<Verification>(
  {
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    recipient_type: ['text', (row) => row.recipientType],
    recipient: ['bytea', (row) => row.recipient],
    recipient_hash: ['bytea', (row) => row.recipientHash],
    masked_recipient: ['text', (row) => row.maskedRecipient],
    country: ['text', (row) => row.country],
    locale: ['text', (row) => row.locale],
    channel: ['text', (row) => row.channel],
    link_mode: ['text', (row) => row.linkMode],
    link_number: ['text', (row) => row.linkNumber],
    data_key: ['smallint', (row) => row.dataKey],
    code_version: ['smallint', (row) => row.codeVersion],
    code_length: ['smallint', (row) => row.codeLength],
    code_mac: ['bytea', (row) => row.codeMac],
    max_attempts: ['smallint', (row) => row.maxAttempts],
    sends: ['smallint', (row) => row.sends],
    max_sends: ['smallint', (row) => row.maxSends],
    client_ip: ['inet', (row) => row.clientIp],
    ip_key: ['text', (row) => row.ipKey],
    expires_at: ['timestamptz', (row) => row.expiresAt],
    resend_at: ['timestamptz', (row) => row.resendAt],
    spend_micros: ['bigint', (row) => row.spendMicros],
    spend_at: ['timestamptz', (row) => row.spendAt],
  },
  4,
)
/** What a new verification says of itself; all else has a value from the start. */
export const insertedColumns = `company_id, created_at, ${verification.names}`

const delivery = bulkOf<NewDelivery & { readonly heldBy: string | null }>(
  {
    app_id: ['text', (row) => row.verification.appId],
    delivery_id: ['text', (row) => row.deliveryId],
    otp_id: ['text', (row) => row.verification.otpId],
    channel: ['text', (row) => row.verification.channel],
    country: ['text', (row) => row.verification.country],
    provider_id: ['text', (row) => row.providerId],
    code_version: ['smallint', (row) => row.verification.codeVersion],
    give_up_at: ['timestamptz', (row) => row.verification.expiresAt],
    price_micros: ['bigint', (row) => row.priceMicros],
    spend_micros: ['bigint', (row) => row.spendMicros],
    held_by: ['text', (row) => row.heldBy],
  },
  verification.next,
)
const decision = bulkOf<NewDecision>(
  {
    app_id: ['text', (row) => row.verification.appId],
    decision_id: ['text', (row) => row.decisionId],
    otp_id: ['text', (row) => row.verification.otpId],
    kind: ['text', (row) => row.kind],
    key_kind: ['text', (row) => row.keyKind],
    rules: ['json', (row) => JSON.stringify(row.rules)],
  },
  delivery.next,
)
const entry = bulkOf<NewDelivery>(
  {
    entry_id: ['text', (row) => row.entryId],
    amount_micros: ['bigint', (row) => -row.priceMicros],
    otp_id: ['text', (row) => row.verification.otpId],
    delivery_id: ['text', (row) => row.deliveryId],
  },
  decision.next,
)
const replay = bulkOf<NewReplay>(
  {
    key_hash: ['bytea', (row) => row.idempotencyHash],
    recipient_hash: ['bytea', (row) => row.recipientHash],
    answer: ['bytea', (row) => row.sealedAnswer],
  },
  entry.next,
)
const limit = bulkOf<ChargedLimit>(
  {
    limit_key: ['bytea', (row) => row.check.key],
    state: ['text', (row) => `{${row.state.join(',')}}`],
    keep_s: ['integer', (row) => row.check.keepSeconds],
  },
  replay.next,
)

/** `$1` is the company, `$2` the time, `$3` what all of it costs. */
const writeBatchText = `
  with verification as (
    insert into verifications (company_id, status, created_at, ${verification.names})
    select $1, 'pending', $2, ${verification.names} from ${verification.source}
  ), delivery as (
    insert into deliveries (company_id, status, attempt, next_attempt_at, charge, created_at, updated_at, ${delivery.names})
    select $1, 'queued', case when held_by is null then 0 else 1 end,
           case when held_by is null then $2 else clock_timestamp() + ${leaseSeconds} * interval '1 second' end,
           'reserved', $2, $2, ${delivery.names} from ${delivery.source}
  ), decision as (
    insert into decisions (company_id, created_at, ${decision.names})
    select $1, $2, ${decision.names} from ${decision.source}
  ), entry as (
    insert into ledger (company_id, kind, created_at, ${entry.names})
    select $1, 'reserve', $2, ${entry.names} from ${entry.source}
  ), balance as (
    update companies set balance_micros = balance_micros - $3::bigint where company_id = $1 and $3::bigint > 0
  ), replay as (
    insert into idempotency_keys as stored (company_id, expires_at, ${replay.names})
    select $1, $2::timestamptz + interval '${hoursReplayable} hours', ${replay.names} from ${replay.source}
    on conflict (company_id, key_hash) do update
       set recipient_hash = excluded.recipient_hash, answer = excluded.answer, expires_at = excluded.expires_at
  )
  insert into limits as stored (company_id, limit_key, state, expires_at)
  select $1, limit_key, state::bigint[], $2::timestamptz + keep_s * interval '1 second' from ${limit.source}
  on conflict (company_id, limit_key) do update set state = excluded.state, expires_at = excluded.expires_at`

/** Everything that sends write, in one statement. What this node's worker has room for is written as held by it. */
export async function writeBatch(
  tenant: Tenant,
  writes: BatchWrites,
  nowMs: number,
  holderOf: Reservation['holderOf'],
): Promise<void> {
  const deliveries = writes.deliveries.map((row) => ({ ...row, heldBy: holderOf(row.deliveryId) }))
  const reserved = writes.deliveries.filter(({ priceMicros }) => priceMicros > 0n)
  await tenant.query({
    name: 'write-batch',
    text: writeBatchText,
    values: [
      new Date(nowMs),
      reserved.reduce((sum, { priceMicros }) => sum + priceMicros, 0n),
      ...verification.values(writes.inserted),
      ...delivery.values(deliveries),
      ...decision.values(writes.decisions),
      ...entry.values(reserved),
      ...replay.values(writes.replays),
      ...limit.values([...writes.limits.values()]),
    ],
  })
  for (const updated of writes.updated.values()) await updateVerification(tenant, updated)
  for (const link of writes.links) await insertLink(tenant, link)
}

async function updateVerification(tenant: Tenant, verification: Verification): Promise<void> {
  await tenant.query({
    name: 'update-verification',
    text: `update verifications
              set channel = $4, link_mode = $5, link_number = $6, data_key = $7, code_version = $8, code_length = $9,
                  code_mac = $10, sends = $11, expires_at = $12, resend_at = $13, spend_micros = $14, spend_at = $15
            where company_id = $1 and app_id = $2 and otp_id = $3`,
    values: [
      verification.appId,
      verification.otpId,
      verification.channel,
      verification.linkMode,
      verification.linkNumber,
      verification.dataKey,
      verification.codeVersion,
      verification.codeLength,
      verification.codeMac,
      verification.sends,
      verification.expiresAt,
      verification.resendAt,
      verification.spendMicros,
      verification.spendAt,
    ],
  })
}

async function insertLink(tenant: Tenant, link: BatchWrites['links'][number]): Promise<void> {
  await tenant.query({
    text: `insert into links (company_id, owner_id, number, reference_hash, app_id, otp_id, code_version, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      link.ownerId,
      link.number,
      link.referenceHash,
      link.verification.appId,
      link.verification.otpId,
      link.verification.codeVersion,
      link.verification.expiresAt,
    ],
  })
}
