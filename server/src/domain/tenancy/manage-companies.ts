import { AppError } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { type CompanyId, parseId } from '../../platform/ids.ts'
import { validationError } from './field-problems.ts'
import * as store from './store.ts'
import type { Company } from './tenancy.ts'

interface Dependencies {
  readonly database: Database
}

export interface CompaniesRequest {
  /** Those that the caller may see; null: all. */
  readonly companyIds: readonly string[] | null
  readonly search: string | null
  readonly cursor: string | null
  readonly limit: number
}

export async function listCompanies(
  { database }: Dependencies,
  { companyIds, search, cursor, limit }: CompaniesRequest,
): Promise<{ companies: Company[]; nextCursor: string | null }> {
  const after = cursor === null ? null : parseId('company', cursor)
  if (cursor !== null && after === null) {
    throw validationError([{ path: 'cursor', message: 'is not one that a page has answered' }])
  }
  const found = await store.listCompanies(database, { companyIds, search, after, limit: limit + 1 })
  const companies = found.slice(0, limit)
  return { companies, nextCursor: found.length > limit ? (companies.at(-1)?.companyId ?? null) : null }
}

export async function changeCompany(
  { database }: Dependencies,
  companyId: CompanyId,
  change: { readonly name: string | null; readonly metered: boolean | null },
): Promise<Company> {
  const company = await store.updateCompany(database.of(companyId), change)
  if (!company) throw new AppError('NotFoundError', 'There is no such company.')
  return company
}
