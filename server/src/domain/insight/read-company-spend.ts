/** What a company has spent lately over all its apps, and for how long its balance lasts at that pace. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { getCompany } from '../billing/index.ts'
import { countFreshSpend, readGatheredSpend } from './figures/store.ts'
import { readSpendByDay } from './spend-store.ts'

const days = 7
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysShown = 30

export interface CompanySpend {
  readonly days: number
  readonly spentMicros: bigint
  readonly sinceMs: number
  readonly perDayMicros: bigint
  /** To a tenth of a day; null if nothing is charged or spent. */
  readonly daysLeft: number | null
  readonly byDay: readonly { readonly dayMs: number; readonly spentMicros: bigint }[]
}

export async function readCompanySpend(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  companyId: CompanyId,
): Promise<CompanySpend> {
  const company = await getCompany({ database }, companyId)
  const tenant = database.of(companyId)
  const nowMs = clock.nowMs()
  const fromMs = Math.floor((nowMs - days * dayMs) / hourMs) * hourMs
  const { gatheredToMs, spentMicros: gathered } = await readGatheredSpend(tenant, fromMs)
  const firstDayMs = Math.floor(nowMs / dayMs) * dayMs - (daysShown - 1) * dayMs
  const sinceMs = Math.max(firstDayMs, gatheredToMs)
  const fresh = await countFreshSpend(tenant, { sinceMs, untilMs: nowMs + hourMs })
  const spentMicros = gathered + sumOf(fresh, (hour) => hour >= fromMs)
  const startMs = Math.min(Math.max(fromMs, company.createdAt.getTime()), nowMs)
  // At least an hour, so that the spending of a company's first minute is not projected as if it went on.
  const spanMs = Math.max(nowMs - startMs, hourMs)
  const perDayMicros = (spentMicros * BigInt(dayMs)) / BigInt(spanMs)
  const isPaying = company.metered && perDayMicros > 0n
  const spent = await readSpendByDay(tenant, firstDayMs)
  return {
    days,
    spentMicros,
    sinceMs: startMs,
    perDayMicros,
    daysLeft: isPaying ? Number((company.balanceMicros * 10n) / perDayMicros) / 10 : null,
    byDay: Array.from({ length: daysShown }, (_, index) => {
      const at = firstDayMs + index * dayMs
      const counted = sumOf(fresh, (hour) => hour >= at && hour < at + dayMs)
      return { dayMs: at, spentMicros: (spent.get(at) ?? 0n) + counted }
    }),
  }
}

function sumOf(byHour: ReadonlyMap<number, bigint>, isMeant: (hourMs: number) => boolean): bigint {
  let sum = 0n
  for (const [hourMs, micros] of byHour) if (isMeant(hourMs)) sum += micros
  return sum
}
