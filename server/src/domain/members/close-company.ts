/** Closes a company for everybody: its apps, accounts and members go, its ledger stays as one sum. */
import { AppError } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { forgetOwner } from '../alerts/index.ts'
import { noSuch } from '../answers/index.ts'
import { deleteProvidersOf } from '../routing/index.ts'
import { markClosed, markDeleted } from '../tenancy/index.ts'
import * as leaving from './leaving-store.ts'
import { ownCompanyId } from './sign-in.ts'

/** The service needs its own company and apps to let people sign in. */
export function assertNotOwn(companyId: CompanyId): void {
  if (companyId === ownCompanyId)
    throw new AppError('ConflictError', 'This is the service’s own, through which people sign in.')
}

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
