/** What operators see about all companies at once. */
import { formatMicros } from '../../domain/billing/index.ts'
import { type AttentionDependencies, listAllBlocks, readInstallation } from '../../domain/insight/index.ts'
import { type Route, route } from '../route.ts'
import { blockAnswer } from './blocks.ts'

export const installationRoutes = (dependencies: AttentionDependencies): Route[] => [
  route('getInstallation', async () => {
    const { fromMs, toMs, companies, attention } = await readInstallation(dependencies)
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      companies: companies.map((company) => ({
        company_id: company.companyId,
        name: company.name,
        metered: company.metered,
        balance: formatMicros(company.balanceMicros),
        apps: company.apps,
        sends: company.sends,
        approvals: company.approvals,
        conversion: company.sends === 0 ? null : company.approvals / company.sends,
        refusals: company.refusals,
        cost: formatMicros(company.costMicros),
        alerts: company.alerts,
      })),
      attention: attention.map(({ rule, company, ...item }) => ({
        kind: rule,
        ...item,
        company_id: company?.companyId ?? null,
      })),
    }
  }),
  route('listAllBlocks', async () => ({
    blocks: (await listAllBlocks(dependencies)).map((block) => ({
      ...blockAnswer(block),
      company_id: block.companyId,
      company_name: block.companyName,
      app_id: block.appId,
      app_name: block.appName,
    })),
  })),
]
