/**
 * Retention of the audit trail: the oldest rows of a chain are deleted, and the rest begins at a sealed anchor. A chain
 * that is broken among those rows is left as it is, so that `audit verify` shows it.
 */
import { rowsAtOnce } from '../../../platform/kept.ts'
import { type ChainDependencies, sealOf } from './chain.ts'
import * as expiry from './expiry-store.ts'
import * as store from './store.ts'
import { findBreakThrough } from './verify.ts'

/** Returns how many rows were deleted; as many as `rowsAtOnce` mean that there may be more. */
export async function expireAudit({ database, keyring }: ChainDependencies): Promise<number> {
  let deleted = 0
  for (const companyId of await expiry.findExpiredChains(database, rowsAtOnce)) {
    deleted += await database.transaction(async (transaction) => {
      const tenant = transaction.of(companyId)
      const chain = await store.lockChain(tenant)
      const { dataKey } = chain
      const last = await expiry.findLastExpired(tenant, rowsAtOnce)
      if (!last) return 0
      // Otherwise somebody who writes an old date into a row could get it deleted and the rest sealed.
      const through = { position: last.position, rows: rowsAtOnce }
      if (await findBreakThrough(tenant, keyring(), chain, through)) return 0
      const seal = sealOf(keyring(), 'anchor', { companyId, ...last, dataKey })
      return expiry.deleteThrough(tenant, { ...last, seal })
    })
  }
  return deleted
}
