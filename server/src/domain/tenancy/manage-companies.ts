import type { Database } from '../../platform/database.ts'
import { type CompanyId, parseId } from '../../platform/ids.ts'
import { noSuch, type Page, type PageRequest, parseCursor, readPage } from '../answers/index.ts'
import * as companyStore from './company-store.ts'
import type { Company } from './tenancy.ts'

interface Dependencies {
  readonly database: Database
}

export interface CompaniesRequest extends PageRequest {
  /** The companies that the caller may see; null for all. */
  readonly companyIds: readonly string[] | null
  readonly isClosed: boolean
  readonly search: string | null
}

export async function listCompanies(
  { database }: Dependencies,
  { companyIds, isClosed, search, cursor, limit }: CompaniesRequest,
): Promise<Page<Company>> {
  const after = parseCursor(cursor, (text) => parseId('company', text))
  return readPage(
    limit,
    (limit) => companyStore.listCompanies(database, { companyIds, isClosed, search, after, limit }),
    ({ companyId }) => companyId,
  )
}

export async function changeCompany(
  { database }: Dependencies,
  companyId: CompanyId,
  change: { readonly name: string | null; readonly metered: boolean | null },
): Promise<Company> {
  const company = await companyStore.updateCompany(database.of(companyId), change)
  if (!company) throw noSuch('company')
  return company
}
