/** Forgets one recipient in all of a company's apps. What is still on its way to them is stopped. */
import type { Database, Tenant } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { getCompany } from '../billing/index.ts'
import { lockCompany } from '../tenancy/index.ts'
import { hashOfWritten } from './hash-of-written.ts'
import { holdRefusals, markErased } from './refusals/store.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** Returns how many verifications held the recipient. */
export async function eraseRecipient(
  { database, keyring }: Dependencies,
  companyId: CompanyId,
  { recipient, country }: { readonly recipient: string; readonly country: string | null },
): Promise<number> {
  await getCompany({ database }, companyId)
  return forgetRecipient({ database }, companyId, hashOfWritten(keyring(), recipient, country))
}

export async function forgetRecipient(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  hash: Buffer,
): Promise<number> {
  const count = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    // A batch under way writes back what it has read of the person, so it has to end first.
    await lockCompany(tenant)
    const blanked = await blankVerifications(tenant, hash)
    await holdRefusals(transaction)
    await forgetMemories(tenant, hash)
    await markErased(tenant, hash)
    return blanked
  })
  await forgetReplays(database.of(companyId), hash)
  return count
}

async function blankVerifications(tenant: Tenant, hash: Buffer): Promise<number> {
  const blanked = await tenant.query({
    text: `update verifications
              set recipient = null, recipient_hash = null, masked_recipient = '****', client_ip = null, ip_key = null,
                  expires_at = case when status = 'pending' then least(expires_at, clock_timestamp()) else expires_at end
            where company_id = $1 and recipient_hash = $2`,
    values: [hash],
  })
  return blanked.rowCount ?? 0
}

/** After the verifications, in a statement of its own: it then sees what an approval that was waited for has noted. */
async function forgetMemories(tenant: Tenant, hash: Buffer): Promise<void> {
  const ofApps = (table: string) =>
    `delete from ${table} m using apps a
      where m.company_id = $1 and a.company_id = $1 and m.app_id = a.app_id and m.recipient_hash = $2`
  await tenant.query({
    text: `
      with memory as (${ofApps('unreachable')}
      ), trust as (${ofApps('pumping_acquaintances')}
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

/** Once the company is free again: there may be very many keys, and nobody could send while they are searched. */
async function forgetReplays(tenant: Tenant, hash: Buffer): Promise<void> {
  await tenant.query({
    text: 'delete from idempotency_keys where company_id = $1 and recipient_hash = $2',
    values: [hash],
  })
}
