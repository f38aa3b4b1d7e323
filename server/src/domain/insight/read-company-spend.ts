/** What a company has spent lately over all its apps, charged or not: how long its balance lasts follows from it. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { countFreshSpend, readGatheredSpend } from './figures-store.ts'

const days = 7
const hourMs = 3_600_000

export async function readCompanySpend(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  companyId: CompanyId,
): Promise<{ days: number; spentMicros: bigint }> {
  const tenant = database.of(companyId)
  const fromMs = Math.floor((clock.nowMs() - days * 24 * hourMs) / hourMs) * hourMs
  const { gatheredToMs, spentMicros } = await readGatheredSpend(tenant, fromMs)
  const freshMicros = await countFreshSpend(tenant, Math.max(fromMs, gatheredToMs))
  return { days, spentMicros: spentMicros + freshMicros }
}
