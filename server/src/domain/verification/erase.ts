/** Forgets one recipient in all of a company's apps, and stops messages that are still on their way to it. */
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { getCompany } from '../billing/index.ts'
import { forgetMessageIds, type VerificationRef } from '../delivery/index.ts'
import { lockCompany } from '../tenancy/index.ts'
import {
  blankVerifications,
  forgetMemories,
  forgetReplays,
  forgetUnreachable,
  listVerifications,
  mostAtOnce,
} from './erase-store.ts'
import { hashOfWritten } from './hash-of-written.ts'
import { holdRefusals, markErased } from './refusals/store.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** Returns how many verifications contained the recipient. */
export async function eraseRecipient(
  { database, keyring }: Dependencies,
  companyId: CompanyId,
  { recipient, country }: { readonly recipient: string; readonly country: string | null },
): Promise<number> {
  await getCompany({ database }, companyId)
  return forgetRecipient({ database }, companyId, hashOfWritten(keyring(), recipient, country))
}

/**
 * Rows that are found by the recipient's hash alone are deleted last: if an erasure is cut short, the next call does
 * the rest. Message ids are found through the verifications, so they are deleted before those are blanked, and again
 * afterwards for what was sent meanwhile.
 */
export async function forgetRecipient(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  hash: Buffer,
): Promise<number> {
  const tenant = database.of(companyId)
  let count = 0
  let blanked: readonly VerificationRef[]
  do {
    await forgetMessageIds(tenant, await listVerifications(tenant, hash))
    blanked = await forgetVerifications(database, companyId, hash)
    await forgetMessageIds(tenant, blanked)
    count += blanked.length
  } while (blanked.length === mostAtOnce)
  await forgetUnreachable(tenant, hash)
  await forgetReplays(tenant, hash)
  return count
}

/** With the last verifications, also forgets what else is known by the recipient's hash. */
function forgetVerifications(
  database: Database,
  companyId: CompanyId,
  hash: Buffer,
): Promise<readonly VerificationRef[]> {
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    // A batch under way would write back what it has read of the recipient, so it has to end first.
    await lockCompany(tenant)
    const blanked = await blankVerifications(tenant, hash)
    if (blanked.length === mostAtOnce) return blanked
    await holdRefusals(transaction)
    await forgetMemories(tenant, hash)
    await markErased(tenant, hash)
    return blanked
  })
}
