/** Closes a company for everybody: its apps, accounts and members go, its ledger stays as one sum. */
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { forgetOwner } from '../alerts/index.ts'
import { noSuch } from '../answers/index.ts'
import { deleteProvidersOf } from '../routing/index.ts'
import { assertNotOwn, markClosed, markDeleted } from '../tenancy/index.ts'
import * as leaving from './leaving-store.ts'

export async function closeCompany(
  { database }: { readonly database: Database },
  companyId: CompanyId,
): Promise<Date> {
  assertNotOwn(companyId)
  const closedAt = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    const at = await markClosed(tenant)
    if (!at) throw noSuch('company')
    await markDeleted(tenant, null)
    await forgetOwner(tenant)
    await leaving.deleteWaysIn(transaction, await leaving.removeEverybody(tenant))
    await raiseRevision(transaction)
    return at
  })
  // In a transaction of its own, since everybody who writes accounts locks the revision first.
  await database.transaction(async (transaction) => {
    await raiseRevision(transaction)
    await deleteProvidersOf(transaction.of(companyId))
  })
  return closedAt
}
