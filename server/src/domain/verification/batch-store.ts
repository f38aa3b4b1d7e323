/** The statements of a batch. Locks are taken in one order everywhere: companies, verifications, limits. */
import type { ChannelName } from '@countersign/contract'
import { columnsOf, type Transaction } from '../../platform/database.ts'
import type { AppId, OtpId } from '../../platform/ids.ts'
import type { LimitCheck, LimitState } from '../guard/index.ts'
import { type Account, type BatchWrites, stateKey } from './batch.ts'
import { type VerificationRow, verificationOf } from './store.ts'
import type { Verification } from './verification.ts'

/**
 * `forUpdate` false: a look that promises nothing, for previews. The key stays free (`no key`): each entry of the
 * ledger refers to it, and a message that was handed over need not wait for those that are being decided.
 */
export async function readAccounts(
  transaction: Transaction,
  companyIds: readonly string[],
  forUpdate: boolean,
): Promise<Map<string, Account>> {
  const found = await transaction.query<{ company_id: string; metered: boolean; balance_micros: bigint }>({
    name: forUpdate ? 'lock-accounts' : 'read-accounts',
    text: `select company_id, metered, balance_micros from companies
            where company_id = any($1) order by company_id ${forUpdate ? 'for no key update' : ''}`,
    values: [companyIds],
  })
  return new Map(
    found.rows.map((row) => [row.company_id, { isMetered: row.metered, balanceMicros: row.balance_micros }]),
  )
}

export async function lockVerification(
  transaction: Transaction,
  appId: AppId,
  otpId: OtpId,
): Promise<Verification | undefined> {
  const found = await transaction.query<VerificationRow>({
    name: 'lock-verification',
    text: 'select * from verifications where app_id = $1 and otp_id = $2 for update',
    values: [appId, otpId],
  })
  return found.rows[0] && verificationOf(found.rows[0])
}

export interface ReplayRow {
  readonly companyId: string
  readonly keyHash: Buffer
  readonly recipientHash: Buffer
  readonly sealedAnswer: Buffer
}

export async function readReplays(
  transaction: Transaction,
  wanted: readonly { readonly companyId: string; readonly keyHash: Buffer }[],
): Promise<ReplayRow[]> {
  if (wanted.length === 0) return []
  const found = await transaction.query<{
    company_id: string
    key_hash: Buffer
    recipient_hash: Buffer
    answer: Buffer
  }>({
    name: 'read-replays',
    text: `select stored.* from unnest($1::text[], $2::bytea[]) wanted (company_id, key_hash)
             join idempotency_keys stored on stored.company_id = wanted.company_id and stored.key_hash = wanted.key_hash
            where stored.expires_at > clock_timestamp()`,
    values: columnsOf(wanted, ['companyId', 'keyHash']),
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    keyHash: row.key_hash,
    recipientHash: row.recipient_hash,
    sealedAnswer: row.answer,
  }))
}

/** Also brings the database's time: the one clock of all that the batch decides. */
export async function readUnreachable(
  transaction: Transaction,
  wanted: readonly { readonly appId: string; readonly recipientHash: Buffer }[],
): Promise<{ nowMs: number; unreachable: Map<string, Set<ChannelName>> }> {
  const found = await transaction.query<{
    now_ms: bigint
    app_id: string | null
    recipient_hash: Buffer | null
    channel: ChannelName | null
  }>({
    name: 'read-unreachable',
    text: `select (extract(epoch from time.now) * 1000)::bigint as now_ms, stored.app_id, stored.recipient_hash, stored.channel
             from (select clock_timestamp() as now) time
             left join (select u.* from unnest($1::text[], $2::bytea[]) wanted (app_id, recipient_hash)
                          join unreachable u on u.app_id = wanted.app_id and u.recipient_hash = wanted.recipient_hash
                       ) stored on stored.expires_at > time.now`,
    values: columnsOf(wanted, ['appId', 'recipientHash']),
  })
  const unreachable = new Map<string, Set<ChannelName>>()
  for (const row of found.rows) {
    if (!row.app_id || !row.recipient_hash || !row.channel) continue
    const key = stateKey(row.app_id, row.recipient_hash)
    unreachable.set(key, (unreachable.get(key) ?? new Set()).add(row.channel))
  }
  return { nowMs: Number(found.rows[0]?.now_ms), unreachable }
}

export interface WantedLimit {
  readonly companyId: string
  readonly check: LimitCheck
}

export async function readLimits(
  transaction: Transaction,
  wanted: readonly WantedLimit[],
  forUpdate: boolean,
): Promise<Map<string, LimitState>> {
  const found = await transaction.query<{ company_id: string; limit_key: Buffer; state: number[] }>({
    name: forUpdate ? 'lock-limits' : 'read-limits',
    text: `select stored.company_id, stored.limit_key, stored.state
             from (select distinct * from unnest($1::text[], $2::bytea[]) listed (company_id, limit_key)) wanted
             join limits stored on stored.company_id = wanted.company_id and stored.limit_key = wanted.limit_key
            order by stored.company_id, stored.limit_key ${forUpdate ? 'for update of stored' : ''}`,
    values: [wanted.map((entry) => entry.companyId), wanted.map((entry) => entry.check.key)],
  })
  return new Map(found.rows.map((row) => [stateKey(row.company_id, row.limit_key), row.state]))
}

const hoursReplayable = 24

/** Everything that sends write, in one statement. */
export async function writeBatch(
  transaction: Transaction,
  writes: BatchWrites,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs)
  const limits = [...writes.limits.values()]
  const { inserted, deliveries, decisions, replays } = writes
  const reserved = deliveries.filter((delivery) => delivery.priceMicros > 0n)
  await transaction.query({
    name: 'write-batch',
    text: `
      with verification as (
        insert into verifications (app_id, otp_id, company_id, status, recipient_type, recipient, recipient_hash,
               masked_recipient, country, locale, channel, link_mode, link_number, data_key, code_version, code_length,
               code_mac, max_attempts, sends, max_sends, client_ip, ip_key, created_at, expires_at, resend_at,
               spend_micros, spend_at)
        select app_id, otp_id, company_id, 'pending', recipient_type, recipient, recipient_hash,
               masked_recipient, country, locale, channel, link_mode, link_number, data_key, code_version, code_length,
               code_mac, max_attempts, sends, max_sends, client_ip, ip_key, $1, expires_at, resend_at,
               spend_micros, spend_at
          from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::text[], $9::text[],
                      $10::text[], $11::text[], $12::text[], $13::text[], $14::smallint[], $15::smallint[],
                      $16::smallint[], $17::bytea[], $18::smallint[], $19::smallint[], $20::smallint[], $21::inet[],
                      $22::text[], $23::timestamptz[], $24::timestamptz[], $53::bigint[], $54::timestamptz[])
               row (app_id, otp_id, company_id, recipient_type, recipient, recipient_hash, masked_recipient, country,
                    locale, channel, link_mode, link_number, data_key, code_version, code_length, code_mac, max_attempts,
                    sends, max_sends, client_ip, ip_key, expires_at, resend_at, spend_micros, spend_at)
      ), delivery as (
        insert into deliveries (app_id, delivery_id, company_id, otp_id, channel, country, provider_id, code_version,
               status, next_attempt_at, give_up_at, price_micros, spend_micros, charge, created_at, updated_at)
        select app_id, delivery_id, company_id, otp_id, channel, country, provider_id, code_version, 'queued',
               $1, give_up_at, price_micros, spend_micros, 'reserved', $1, $1
          from unnest($25::text[], $26::text[], $27::text[], $28::text[], $29::text[], $30::text[], $31::smallint[],
                      $32::timestamptz[], $33::bigint[], $52::bigint[], $55::text[])
               row (app_id, delivery_id, company_id, otp_id, channel, provider_id, code_version, give_up_at, price_micros,
                    spend_micros, country)
      ), decision as (
        insert into decisions (app_id, decision_id, otp_id, kind, rules, created_at)
        select app_id, decision_id, otp_id, kind, rules, $1
          from unnest($34::text[], $35::text[], $36::text[], $37::text[], $38::json[])
               row (app_id, decision_id, otp_id, kind, rules)
      ), entry as (
        insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id, created_at)
        select company_id, entry_id, 'reserve', -price_micros, otp_id, delivery_id, $1
          from unnest($39::text[], $40::text[], $41::bigint[], $42::text[], $43::text[])
               row (company_id, entry_id, price_micros, otp_id, delivery_id)
      ), balance as (
        update companies c set balance_micros = c.balance_micros - spent.micros
          from (select company_id, sum(price_micros) as micros
                  from unnest($39::text[], $41::bigint[]) row (company_id, price_micros) group by company_id) spent
         where c.company_id = spent.company_id
      ), replay as (
        insert into idempotency_keys as stored (company_id, key_hash, recipient_hash, answer, expires_at)
        select company_id, key_hash, recipient_hash, answer, $1::timestamptz + interval '${hoursReplayable} hours'
          from unnest($44::text[], $45::bytea[], $46::bytea[], $47::bytea[])
               row (company_id, key_hash, recipient_hash, answer)
        on conflict (company_id, key_hash) do update
           set recipient_hash = excluded.recipient_hash, answer = excluded.answer, expires_at = excluded.expires_at
      )
      insert into limits as stored (company_id, limit_key, state, expires_at)
      select company_id, limit_key, state::bigint[], $1::timestamptz + keep_s * interval '1 second'
        from unnest($48::text[], $49::bytea[], $50::text[], $51::integer[]) row (company_id, limit_key, state, keep_s)
      on conflict (company_id, limit_key) do update set state = excluded.state, expires_at = excluded.expires_at`,
    values: [
      now,
      ...columnsOf(inserted, [
        'appId',
        'otpId',
        'companyId',
        'recipientType',
        'recipient',
        'recipientHash',
        'maskedRecipient',
        'country',
        'locale',
        'channel',
        'linkMode',
        'linkNumber',
        'dataKey',
        'codeVersion',
        'codeLength',
        'codeMac',
        'maxAttempts',
        'sends',
        'maxSends',
        'clientIp',
        'ipKey',
        'expiresAt',
        'resendAt',
      ]),
      deliveries.map((row) => row.verification.appId),
      deliveries.map((row) => row.deliveryId),
      deliveries.map((row) => row.verification.companyId),
      deliveries.map((row) => row.verification.otpId),
      deliveries.map((row) => row.verification.channel),
      deliveries.map((row) => row.providerId),
      deliveries.map((row) => row.verification.codeVersion),
      deliveries.map((row) => row.verification.expiresAt),
      deliveries.map((row) => row.priceMicros),
      decisions.map((row) => row.verification.appId),
      decisions.map((row) => row.decisionId),
      decisions.map((row) => row.verification.otpId),
      decisions.map((row) => row.kind),
      decisions.map((row) => JSON.stringify(row.rules)),
      reserved.map((row) => row.verification.companyId),
      reserved.map((row) => row.entryId),
      reserved.map((row) => row.priceMicros),
      reserved.map((row) => row.verification.otpId),
      reserved.map((row) => row.deliveryId),
      ...columnsOf(replays, ['companyId', 'idempotencyHash', 'recipientHash', 'sealedAnswer']),
      limits.map((row) => row.companyId),
      limits.map((row) => row.check.key),
      limits.map((row) => `{${row.state.join(',')}}`),
      limits.map((row) => row.check.keepSeconds),
      deliveries.map((row) => row.spendMicros),
      ...columnsOf(inserted, ['spendMicros', 'spendAt']),
      deliveries.map((row) => row.verification.country),
    ],
  })
  for (const verification of writes.updated.values()) await updateVerification(transaction, verification)
  for (const link of writes.links) await insertLink(transaction, link)
}

async function updateVerification(transaction: Transaction, verification: Verification): Promise<void> {
  await transaction.query({
    name: 'update-verification',
    text: `update verifications
              set channel = $3, link_mode = $4, link_number = $5, data_key = $6, code_version = $7, code_length = $8,
                  code_mac = $9, sends = $10, expires_at = $11, resend_at = $12, spend_micros = $13, spend_at = $14
            where app_id = $1 and otp_id = $2`,
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

async function insertLink(transaction: Transaction, link: BatchWrites['links'][number]): Promise<void> {
  await transaction.query({
    text: `insert into links (company_id, number, reference_hash, app_id, otp_id, code_version, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7)`,
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
