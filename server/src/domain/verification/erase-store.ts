/** What is known of one recipient, and the statements that delete it. */
import type { Tenant } from '../../platform/database.ts'
import type { AppId, OtpId } from '../../platform/ids.ts'
import type { VerificationRef } from '../delivery/index.ts'

/** How many verifications are blanked under one lock of the company, so that sends go on and no statement times out. */
export const mostAtOnce = 1_000

interface RefRow {
  app_id: AppId
  otp_id: OtpId
}

const refOf = (row: RefRow): VerificationRef => ({ appId: row.app_id, otpId: row.otp_id })

const oldestOfRecipient = `from verifications where company_id = $1 and recipient_hash = $2 order by otp_id limit $3`

export async function listVerifications(tenant: Tenant, hash: Buffer): Promise<VerificationRef[]> {
  const found = await tenant.query<RefRow>({
    text: `select app_id, otp_id ${oldestOfRecipient}`,
    values: [hash, mostAtOnce],
  })
  return found.rows.map(refOf)
}

export async function blankVerifications(tenant: Tenant, hash: Buffer): Promise<VerificationRef[]> {
  const blanked = await tenant.query<RefRow>({
    text: `update verifications
              set recipient = null, recipient_hash = null, masked_recipient = '****', client_ip = null, ip_key = null,
                  expires_at = case when status = 'pending' then least(expires_at, clock_timestamp()) else expires_at end
            where company_id = $1 and recipient_hash = $2
              and otp_id <= (select max(otp_id) from (select otp_id ${oldestOfRecipient}) oldest)
           returning app_id, otp_id`,
    values: [hash, mostAtOnce],
  })
  return blanked.rows.map(refOf)
}

/** Runs after the verifications are blanked, so that it sees the notes of approvals that this had to wait for. */
export async function forgetMemories(tenant: Tenant, hash: Buffer): Promise<void> {
  await tenant.query({
    text: `
      with trust as (${ofApps('pumping_acquaintances')}
      ), approvals as (
        delete from pumping_approvals where company_id = $1 and recipient_hashes <@ array[$2::bytea]
      ), shared_approvals as (
        update pumping_approvals set recipient_hashes = array_remove(recipient_hashes, $2)
         where company_id = $1 and $2 = any(recipient_hashes) and not recipient_hashes <@ array[$2::bytea]
      ), excepted as (
        delete from exceptions where company_id = $1 and recipient_hash = $2
      )
      update refusals set recipient_hash = null, masked_recipient = '****', client_ip = null
       where company_id = $1 and recipient_hash = $2`,
    values: [hash],
  })
}

const ofApps = (table: string) =>
  `delete from ${table} m using apps a
    where m.company_id = $1 and a.company_id = $1 and m.app_id = a.app_id and m.recipient_hash = $2`

/**
 * A failure that is being written may still add such a row. It holds the row of its message until it ends, so once the
 * message ids are forgotten, the row is there.
 */
export async function forgetUnreachable(tenant: Tenant, hash: Buffer): Promise<void> {
  await tenant.query({ text: ofApps('unreachable'), values: [hash] })
}

/** Runs without the company's lock: there may be very many keys, and nobody could send while they are searched. */
export async function forgetReplays(tenant: Tenant, hash: Buffer): Promise<void> {
  await tenant.query({
    text: 'delete from idempotency_keys where company_id = $1 and recipient_hash = $2',
    values: [hash],
  })
}
