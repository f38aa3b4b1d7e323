/** All companies with their figures of the last day, and what needs attention. */
import { Tally } from '../../platform/tally.ts'
import type { AttentionDependencies } from './attention/attention.ts'
import { findOperatorAttention, type OperatorItem } from './attention/find-operator-attention.ts'
import { readProgress } from './figures/store.ts'
import { type CompanyFigures, readCompanies } from './installation-store.ts'

export interface Installation {
  readonly fromMs: number
  readonly toMs: number
  readonly companies: readonly (CompanyFigures & { readonly alerts: number })[]
  readonly attention: readonly OperatorItem[]
}

const dayMs = 86_400_000
/** Ids are made by the clocks of nodes, which may be ahead by up to this time. */
const aheadMs = 3_600_000

export async function readInstallation(dependencies: AttentionDependencies): Promise<Installation> {
  const { database } = dependencies
  const { gatheredToMs, nowMs } = await readProgress(database)
  const [companies, attention] = await Promise.all([
    readCompanies(database, { sinceMs: gatheredToMs, untilMs: nowMs + aheadMs }),
    findOperatorAttention(dependencies),
  ])
  const alerts = new Tally()
  for (const { company } of attention) if (company) alerts.add(company.companyId, 1)
  return {
    fromMs: nowMs - dayMs,
    toMs: nowMs,
    companies: companies.map((company) => ({ ...company, alerts: alerts.of(company.companyId) })),
    attention,
  }
}
