/** The provider accounts of a company, or of all. */
import { type CompanyId, parseId } from '../../platform/ids.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { type Page, type PageRequest, parseCursor, readPage } from '../answers/index.ts'
import { readStates } from './health/read-state.ts'
import * as store from './provider-store.ts'
import {
  type ListedProvider,
  listed,
  type ManageProvidersDependencies,
  openSecrets,
} from './stored-provider.ts'

export interface ListAccounts extends PageRequest, store.ProviderFilter {
  /** Null for the accounts of all companies, the operator's first. */
  readonly companyId: CompanyId | null
}

export async function listAccounts(
  dependencies: ManageProvidersDependencies,
  { companyId, owners, channel, cursor, limit }: ListAccounts,
): Promise<Page<ListedProvider>> {
  const { database } = dependencies
  const after = parseCursor(cursor, parseProviderCursor)
  const { rows, nextCursor } = await readPage(
    limit,
    (most) =>
      companyId === null
        ? store.listAllProviders(database, { owners, channel }, after, most)
        : store.listProvidersOf(database.of(companyId), channel, after, most),
    ({ ownerId, providerId }) => `${ownerId}.${providerId}`,
  )
  const stateOf = await readStates(database, companyId)
  const listRow = (row: store.StoredProvider) =>
    listed(dependencies, row, openSecrets(dependencies, row), stateOf)
  return { rows: rows.map(listRow), nextCursor }
}

function parseProviderCursor(cursor: string): store.ProviderCursor | null {
  const [owner = '', provider = ''] = cursor.split('.')
  const ownerId = owner === operatorOwner ? operatorOwner : parseId('company', owner)
  const providerId = parseId('provider', provider)
  return ownerId && providerId ? { ownerId, providerId } : null
}
