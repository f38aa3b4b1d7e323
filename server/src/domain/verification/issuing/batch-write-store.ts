/** The writes of a batch: one statement for all its sends, and one for each verification that a resend changes. */
import { heldBulkOf, withHeld } from '../../../platform/bulk.ts'
import type { Held, Tenant, Transaction } from '../../../platform/database.ts'
import type { CompanyId } from '../../../platform/ids.ts'
import { leaseSeconds } from '../../../platform/pulse.ts'
import type { Reservation } from '../../delivery/index.ts'
import type { Verification } from '../verification.ts'
import type { BatchWrites, ChargedLimit, NewDecision, NewDelivery, NewReplay } from './batch.ts'

const hoursReplayable = 24

const verification = heldBulkOf<Verification>(
  ({ companyId }) => companyId,
  {
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    recipient_type: ['text', (row) => row.recipientType],
    recipient: ['bytea', (row) => row.recipient],
    recipient_hash: ['bytea', (row) => row.recipientHash],
    masked_recipient: ['text', (row) => row.maskedRecipient],
    country: ['text', (row) => row.country],
    locale: ['text', (row) => row.locale],
    called: ['text', (row) => row.friendlyName],
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
  2,
)
/** The columns that a new verification sets; the others have defaults. */
export const insertedColumns = `company_id, created_at, ${verification.names}`

const companyOfVerification = ({ verification }: { readonly verification: Verification }) =>
  verification.companyId

const delivery = heldBulkOf<NewDelivery & { readonly heldBy: string | null }>(
  companyOfVerification,
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
const decision = heldBulkOf<NewDecision>(
  companyOfVerification,
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
const entry = heldBulkOf<NewDelivery>(
  companyOfVerification,
  {
    entry_id: ['text', (row) => row.entryId],
    amount_micros: ['bigint', (row) => -row.priceMicros],
    otp_id: ['text', (row) => row.verification.otpId],
    delivery_id: ['text', (row) => row.deliveryId],
  },
  decision.next,
)
const replay = heldBulkOf<NewReplay>(
  ({ companyId }) => companyId,
  {
    key_hash: ['bytea', (row) => row.idempotencyHash],
    recipient_hash: ['bytea', (row) => row.recipientHash],
    answer: ['bytea', (row) => row.sealedAnswer],
  },
  entry.next,
)
const limit = heldBulkOf<ChargedLimit>(
  ({ companyId }) => companyId,
  {
    limit_key: ['bytea', (row) => row.check.key],
    state: ['text', (row) => `{${row.state.join(',')}}`],
    keep_s: ['integer', (row) => row.check.keepSeconds],
  },
  replay.next,
)

const payment = heldBulkOf<Payment>(
  ({ companyId }) => companyId,
  { micros: ['bigint', (row) => row.micros] },
  limit.next,
)

/** What one company is charged for all its sends of a batch. */
interface Payment {
  readonly companyId: CompanyId
  micros: bigint
}

/**
 * Rounded up to the hour, so that the limit of a whole app, which every batch writes, does not change its entry in the
 * expiry index each time.
 */
const limitExpiry = `date_trunc('hour', $1::timestamptz + keep_s * interval '1 second', 'UTC') + interval '1 hour'`

/** `$1` is the current time. */
const writeBatchText = `
  with ${withHeld}, /* every company: those that the transaction holds */
  verification as (
    insert into verifications (company_id, status, created_at, ${verification.names})
    select ${verification.company}, 'pending', $1, ${verification.names} from ${verification.source}
  ), delivery as (
    insert into deliveries (company_id, status, attempt, next_attempt_at, charge, created_at, updated_at, ${delivery.names})
    select ${delivery.company}, 'queued', case when held_by is null then 0 else 1 end,
           case when held_by is null then $1 else clock_timestamp() + ${leaseSeconds} * interval '1 second' end,
           'reserved', $1, $1, ${delivery.names} from ${delivery.source}
  ), decision as (
    insert into decisions (company_id, created_at, ${decision.names})
    select ${decision.company}, $1, ${decision.names} from ${decision.source}
  ), entry as (
    insert into ledger (company_id, kind, created_at, ${entry.names})
    select ${entry.company}, 'reserve', $1, ${entry.names} from ${entry.source}
  ), balance as (
    update companies c set balance_micros = c.balance_micros - paid.micros
      from (select ${payment.company} as company_id, micros from ${payment.source}) paid where c.company_id = paid.company_id
  ), replay as (
    insert into idempotency_keys as stored (company_id, expires_at, ${replay.names})
    select ${replay.company}, $1::timestamptz + interval '${hoursReplayable} hours', ${replay.names} from ${replay.source}
    on conflict (company_id, key_hash) do update
       set recipient_hash = excluded.recipient_hash, answer = excluded.answer, expires_at = excluded.expires_at
  )
  insert into limits as stored (company_id, limit_key, state, expires_at)
  select ${limit.company}, limit_key, state::bigint[], ${limitExpiry} from ${limit.source}
  on conflict (company_id, limit_key) do update set state = excluded.state, expires_at = excluded.expires_at`

/**
 * Writes everything about sends in one statement, and what resends change in one statement each; all are issued at
 * once. Messages that this node's worker has room for are written as held by it.
 */
export function writeBatch(
  transaction: Transaction,
  held: Held,
  writes: BatchWrites,
  nowMs: number,
  holderOf: Reservation['holderOf'],
): Promise<unknown>[] {
  if (writes.decisions.length === 0 && writes.limits.size === 0) return []
  const deliveries = writes.deliveries.map((row) => ({ ...row, heldBy: holderOf(row.deliveryId) }))
  const reserved = writes.deliveries.filter(({ priceMicros }) => priceMicros > 0n)
  const written = held.query({
    name: 'write-batch',
    text: writeBatchText,
    values: [
      new Date(nowMs),
      ...verification.values(writes.inserted, held),
      ...delivery.values(deliveries, held),
      ...decision.values(writes.decisions, held),
      ...entry.values(reserved, held),
      ...replay.values(writes.replays, held),
      ...limit.values([...writes.limits.values()], held),
      ...payment.values(paymentsFor(reserved), held),
    ],
  })
  const ownerOf = ({ companyId }: Verification) => transaction.of(companyId)
  return [
    written,
    ...[...writes.updated.values()].map((row) => updateVerification(ownerOf(row), row)),
    ...writes.links.map((link) => insertLink(ownerOf(link.verification), link)),
  ]
}

function paymentsFor(reserved: readonly NewDelivery[]): Payment[] {
  const payments = new Map<CompanyId, Payment>()
  for (const { verification, priceMicros } of reserved) {
    const { companyId } = verification
    const payment = payments.get(companyId) ?? { companyId, micros: 0n }
    payment.micros += priceMicros
    payments.set(companyId, payment)
  }
  return [...payments.values()]
}

async function updateVerification(tenant: Tenant, verification: Verification): Promise<void> {
  await tenant.query({
    name: 'update-verification',
    text: `update verifications
              set channel = $4, link_mode = $5, link_number = $6, data_key = $7, code_version = $8, code_length = $9,
                  code_mac = $10, sends = $11, expires_at = $12, resend_at = $13, spend_micros = $14, spend_at = $15,
                  called = $16
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
      verification.friendlyName,
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
