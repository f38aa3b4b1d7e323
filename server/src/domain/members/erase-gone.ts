/**
 * Erases what deleted apps and closed companies had, a bite at a time.
 *
 * Nodes forget an app within a second, but a send that was under way may still be accepted, and messages that wait are
 * failed by the worker, which gives their money back. So nothing is erased at first, and messages only once they are
 * over. The row of the app goes last, when a code of it could not live any more.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { lowestId, newId } from '../../platform/ids.ts'
import { bite } from '../../platform/kept.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { carryForward } from '../billing/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import * as store from './gone-store.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

const dayMs = 86_400_000

/** Answers whether there is more to erase at once. */
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
    hasMore = (await store.eraseOfApp(tenant, table, app.appId, bite)) >= bite || hasMore
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
        : await store.eraseOfCompany(tenant, table, bite)
    hasMore = erased >= bite || hasMore
  }
  const nowMs = clock.nowMs()
  const before = lowestId('entry', nowMs + dayMs)
  // It merges what there is into one entry, and does nothing where there is one.
  const carried = await carryForward(tenant, { entryId: newId('entry', nowMs), before, limit: bite })
  hasMore ||= carried > 0
  if (!hasMore) await store.markErased(tenant)
  return hasMore
}

/**
 * Left by who closed it and died. Nodes use them until they hear that something has changed, so that is in the same
 * commit. Whoever else writes accounts locks the revision first, but none of a closed company's.
 */
const eraseAccounts = (database: Database, companyId: AppRef['companyId'], table: store.Table) =>
  database.transaction(async (transaction) => {
    const erased = await store.eraseOfCompany(transaction.of(companyId), table, bite)
    if (erased > 0) await raiseRevision(transaction)
    return erased
  })
