import { type Database, type Queryable, type Tenant, unlessBroken } from '../../../platform/database.ts'
import type { AppId, CompanyId, OtpId } from '../../../platform/ids.ts'
import type { LinkMode } from '../../routing/index.ts'
import { isOfLivingApp } from '../../tenancy/index.ts'
import type { NewEvent } from '../../webhooks/index.ts'
import { approved, approvedColumns, followApproval } from '../approval.ts'

export interface LiveLink {
  readonly ownerId: string
  readonly number: string
  readonly referenceHash: Buffer
  readonly appId: AppId
  readonly otpId: OtpId
  readonly companyId: CompanyId
  readonly linkMode: LinkMode
  readonly codeVersion: number
  readonly country: string | null
}

/** A link is live as long as its version is the newest of a pending verification. */
export async function findLink(
  queryable: Queryable,
  ownerId: string,
  number: string,
  referenceHashes: readonly Buffer[],
): Promise<LiveLink | undefined> {
  if (referenceHashes.length === 0) return undefined
  const found = await queryable.query<{
    reference_hash: Buffer
    app_id: AppId
    otp_id: OtpId
    company_id: CompanyId
    link_mode: LinkMode
    code_version: number
    country: string | null
  }>({
    name: 'find-link',
    text: `select l.reference_hash, v.app_id, v.otp_id, v.company_id, v.link_mode, v.code_version, v.country
             from links l /* every company: a message names a number, and an operator's number serves all */
             join verifications v on v.company_id = l.company_id and v.app_id = l.app_id and v.otp_id = l.otp_id
            where l.owner_id = $1 and l.number = $2 and l.reference_hash = any($3)
              and v.status = 'pending' and v.expires_at > clock_timestamp() and v.link_mode is not null
              and v.code_version = l.code_version
            limit 1`,
    values: [ownerId, number, referenceHashes],
  })
  const row = found.rows[0]
  return (
    row && {
      ownerId,
      number,
      referenceHash: row.reference_hash,
      appId: row.app_id,
      otpId: row.otp_id,
      companyId: row.company_id,
      linkMode: row.link_mode,
      codeVersion: row.code_version,
      country: row.country,
    }
  )
}

/** Tests the same conditions again, in the statement that decides: they may have changed since the link was found. */
export async function approveInbound(
  tenant: Tenant,
  link: LiveLink,
  senderHash: Buffer,
  event: NewEvent,
): Promise<boolean> {
  return unlessBroken((isGuarded) => approveOnce(tenant, link, senderHash, event, isGuarded))
}

async function approveOnce(
  tenant: Tenant,
  link: LiveLink,
  senderHash: Buffer,
  event: NewEvent,
  isGuarded: boolean,
): Promise<boolean> {
  const decided = await tenant.query({
    name: isGuarded ? 'approve-inbound' : 'approve-inbound-unguarded',
    text: `
      with approved as (
        update verifications v set status = 'approved', verified_at = clock_timestamp(), event_id = $6
         where company_id = $1 and app_id = $2 and otp_id = $3 and status = 'pending' and link_mode = 'link_inbound'
           and code_version = $4 and recipient_hash = $5 and expires_at > clock_timestamp() and ${isOfLivingApp('v')}
        returning ${approvedColumns.join(', ')}, $7::text as event_body
      ), ${followApproval(approved, { isGuarded })}
      select 1 from approved`,
    values: [link.appId, link.otpId, link.codeVersion, senderHash, event.eventId, event.body],
  })
  return decided.rowCount === 1
}

/** A person who writes again gets the code again, this many times; a callback that comes twice is one message. */
const maxAnswers = 3

export interface Answer {
  readonly senderHash: Buffer
  readonly messageHash: Buffer
  readonly sealedMessageId: Buffer
  readonly providerId: string
  readonly deliveryId: string
  readonly entryId: string
  readonly priceMicros: bigint
}

export async function answerWithCode(database: Database, link: LiveLink, answer: Answer): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // The company is locked first, as everywhere: its balance pays, if the operator has put a price on answers.
    const tenant = transaction.of(link.companyId)
    const payer = await tenant.query<{ price_micros: bigint }>({
      text: `select case when metered then $2::bigint else 0 end as price_micros from companies
              where company_id = $1 and (not metered or balance_micros >= $2) for no key update`,
      values: [answer.priceMicros],
    })
    const priceMicros = payer.rows[0]?.price_micros
    if (priceMicros === undefined) return false
    const queued = await tenant.query({
      text: `
        with pending as (
          select app_id, otp_id, country, code_version, expires_at from verifications v
           where company_id = $1 and app_id = $2 and otp_id = $3 and status = 'pending' and link_mode = 'link_code'
             and code_version = $4 and recipient_hash = $5 and expires_at > clock_timestamp() and ${isOfLivingApp('v')}
           for update
        ), answered as (
          update links l set answered = array_append(l.answered, $9) from pending
           where l.company_id = $1 and l.owner_id = $6 and l.number = $7 and l.reference_hash = $8
             and not $9 = any(l.answered) and cardinality(l.answered) < ${maxAnswers}
          returning pending.*
        ), delivery as (
          insert into deliveries (company_id, app_id, delivery_id, otp_id, channel, country, provider_id, code_version,
                 reply_to, status, next_attempt_at, give_up_at, price_micros, charge, created_at, updated_at)
          select $1, app_id, $10, otp_id, 'whatsapp', country, $11, code_version, $14, 'queued', clock_timestamp(),
                 expires_at, $12, 'reserved', clock_timestamp(), clock_timestamp() from answered
        ), entry as (
          insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
          select $1, $13, 'reserve', -$12::bigint, otp_id, $10 from answered where $12::bigint > 0
        ), balance as (
          update companies c set balance_micros = c.balance_micros - $12 from answered
           where c.company_id = $1 and $12::bigint > 0
        )
        select 1 from answered`,
      values: [
        link.appId,
        link.otpId,
        link.codeVersion,
        answer.senderHash,
        link.ownerId,
        link.number,
        link.referenceHash,
        answer.messageHash,
        answer.deliveryId,
        answer.providerId,
        priceMicros,
        answer.entryId,
        answer.sealedMessageId,
      ],
    })
    return queued.rowCount === 1
  })
}
