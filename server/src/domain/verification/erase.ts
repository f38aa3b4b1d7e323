/** Forgets one recipient in all of a company's apps. What is still on its way to them is stopped. */
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { getCompany } from '../billing/index.ts'
import { hashOfWritten } from './hash-of-written.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  /** Resolves when all refusals noted so far are in the table, where they can be erased. */
  readonly writeRefusals: () => Promise<void>
}

/** Returns how many verifications held the recipient. */
export async function eraseRecipient(
  { database, keyring, writeRefusals }: Dependencies,
  companyId: CompanyId,
  { recipient, country }: { readonly recipient: string; readonly country: string | null },
): Promise<number> {
  await getCompany({ database }, companyId)
  return forgetRecipient({ database, writeRefusals }, companyId, hashOfWritten(keyring(), recipient, country))
}

export async function forgetRecipient(
  { database, writeRefusals }: Pick<Dependencies, 'database' | 'writeRefusals'>,
  companyId: CompanyId,
  hash: Buffer,
): Promise<number> {
  await writeRefusals()
  const erased = await database.of(companyId).query<{ count: number }>({
    text: `
      with erased as (
        update verifications v
           set recipient = null, recipient_hash = null, masked_recipient = '****', client_ip = null, ip_key = null,
               expires_at = case when v.status = 'pending' then least(v.expires_at, clock_timestamp()) else v.expires_at end
         where v.company_id = $1 and v.recipient_hash = $2
        returning 1
      ), memory as (
        delete from unreachable where company_id = $1 and recipient_hash = $2
      ), trust as (
        delete from pumping_acquaintances where company_id = $1 and recipient_hash = $2
      ), approvals as (
        delete from pumping_approvals where company_id = $1 and recipient_hashes <@ array[$2::bytea]
      ), shared_approvals as (
        update pumping_approvals set recipient_hashes = array_remove(recipient_hashes, $2)
         where company_id = $1 and $2 = any(recipient_hashes) and not recipient_hashes <@ array[$2::bytea]
      ), excepted as (
        delete from exceptions where company_id = $1 and recipient_hash = $2
      ), replays as (
        delete from idempotency_keys where company_id = $1 and recipient_hash = $2
      ), refused as (
        update refusals set recipient_hash = null, masked_recipient = '****', client_ip = null
         where company_id = $1 and recipient_hash = $2
      )
      select count(*)::integer as count from erased`,
    values: [hash],
  })
  return erased.rows[0]?.count ?? 0
}
