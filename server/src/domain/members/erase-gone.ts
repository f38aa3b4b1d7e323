/**
 * Erases what deleted apps and closed companies had, some rows at a time.
 *
 * Nodes forget an app within a second, but a send that was under way may still be accepted, and the worker fails messages
 * that wait, which returns their money. So nothing is erased at first, and messages only once they have ended. The row of
 * the app goes last, when none of its codes can be valid any more.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { lowestId, newId } from '../../platform/ids.ts'
import { rowsAtOnce } from '../../platform/kept.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { carryForward } from '../billing/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import * as store from './gone-store.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

const dayMs = 86_400_000

/** Returns whether there is more to erase at once. */
export async function eraseGone(dependencies: Dependencies): Promise<boolean> {
  const { database } = dependencies
  const tables = await store.listTables(database)
  let hasMore = false
  for (const gone of await store.listDeletedApps(database)) {
    hasMore = (await eraseApp(dependencies, tables, gone)) || hasMore
  }
  for (const companyId of await store.listClosedCompanies(database)) {
    hasMore = (await eraseCompany(dependencies, tables, companyId)) || hasMore
  }
  return hasMore
}

async function eraseApp(
  { database }: Dependencies,
  tables: readonly store.Table[],
  { isSettled, ...app }: AppRef & { readonly isSettled: boolean },
): Promise<boolean> {
  const tenant = database.of(app.companyId)
  if (await store.hasQueued(tenant, app.appId)) return false
  let hasMore = false
  for (const table of tables.filter(({ hasApp }) => hasApp)) {
    hasMore = (await store.eraseOfApp(tenant, table, app.appId, rowsAtOnce)) >= rowsAtOnce || hasMore
  }
  if (!hasMore && isSettled) await store.deleteApp(tenant, app.appId)
  return hasMore
}

async function eraseCompany(
  { database, clock }: Dependencies,
  tables: readonly store.Table[],
  companyId: AppRef['companyId'],
): Promise<boolean> {
  const tenant = database.of(companyId)
  let hasMore = false
  for (const table of tables) {
    const erased =
      table.name === 'providers'
        ? await eraseAccounts(database, companyId, table)
        : await store.eraseOfCompany(tenant, table, rowsAtOnce)
    hasMore = erased >= rowsAtOnce || hasMore
  }
  const nowMs = clock.nowMs()
  const before = lowestId('entry', nowMs + dayMs)
  // Merges all entries into one, and does nothing if there is only one.
  const carried = await carryForward(tenant, { entryId: newId('entry', nowMs), before, limit: rowsAtOnce })
  hasMore ||= carried > 0
  if (!hasMore) await store.markErased(tenant)
  return hasMore
}

/**
 * Accounts are left over if the process that closed the company died. Nodes use them until the revision is raised, so
 * it is raised in the same commit. Elsewhere the revision is locked before accounts, but nobody else writes accounts of
 * a closed company.
 */
const eraseAccounts = (database: Database, companyId: AppRef['companyId'], table: store.Table) =>
  database.transaction(async (transaction) => {
    const erased = await store.eraseOfCompany(transaction.of(companyId), table, rowsAtOnce)
    if (erased > 0) await raiseRevision(transaction)
    return erased
  })
