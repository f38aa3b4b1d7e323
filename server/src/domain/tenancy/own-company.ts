/** The installation's own company, made by the migrations: people sign in through its apps. */
import { AppError } from '@countersign/contract'
import type { CompanyId } from '../../platform/ids.ts'

export const ownCompanyId = 'cmp_0000000000dashb0ardsgn1n00' as CompanyId

/** Without it and its apps nobody could sign in. */
export function assertNotOwn(companyId: CompanyId): void {
  if (companyId === ownCompanyId)
    throw new AppError('ConflictError', 'This is the service’s own, through which people sign in.')
}
