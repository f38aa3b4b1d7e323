/** Retention of the audit trail: the oldest rows of a chain go, and what is left begins at a sealed anchor. */
import { type ChainDependencies, sealOf } from './audit-chain.ts'
import * as store from './audit-store.ts'

const bite = 5_000

/** How many rows went; as many as a bite when there may be more. */
export async function expireAudit({ database, keyring }: ChainDependencies): Promise<number> {
  let deleted = 0
  for (const companyId of await store.findExpiredChains(database, bite)) {
    deleted += await database.transaction(async (transaction) => {
      const tenant = transaction.of(companyId)
      const { data_key: dataKey } = await store.lockChain(tenant)
      const last = await store.findLastExpired(tenant, bite)
      if (!last) return 0
      const seal = sealOf(keyring(), 'anchor', { companyId, ...last, dataKey })
      return store.deleteThrough(tenant, { ...last, seal })
    })
  }
  return deleted
}
