/** The states that exist now for an owner: the checks of what needs attention, with the owner's thresholds. */
import type { AlertRuleName } from '@countersign/contract'
import type { Owner } from '../../platform/tenant.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { type AttentionDependencies, findAttention, findOperatorAttention } from '../insight/index.ts'
import { appsOfCompany, listApps } from '../tenancy/index.ts'
import type { AlertSettings, Finding, RuleSettings } from './alert.ts'

export async function findFindings(
  dependencies: AttentionDependencies,
  ownerId: Owner,
  { rules }: Pick<AlertSettings, 'rules'>,
): Promise<Finding[]> {
  const found =
    ownerId === operatorOwner
      ? await findOperatorAttention(dependencies, thresholdsOf(rules))
      : await findOfCompany(dependencies, ownerId, rules)
  const unique = new Map<string, Finding>()
  for (const finding of found) {
    if (rules[finding.rule].enabled) unique.set(`${finding.rule} ${finding.subject}`, finding)
  }
  return [...unique.values()]
}

const thresholdsOf = (rules: RuleSettings) => ({
  daysLeft: rules.low_balance.threshold,
  failingMinutes: rules.failing_provider.threshold,
  dropPercent: rules.conversion_drop.threshold,
  capPercent: rules.spend_cap.threshold,
  partitionDays: rules.partitions_short.threshold,
})

async function findOfCompany(
  dependencies: AttentionDependencies,
  companyId: Exclude<Owner, typeof operatorOwner>,
  rules: RuleSettings,
): Promise<Finding[]> {
  const { rows } = await listApps(dependencies, companyId, { cursor: null, limit: appsOfCompany.most })
  const findings: Finding[] = []
  // One after the other: nobody waits for the result, and it must not take all connections.
  for (const { appId, name } of rows) {
    const items = await findAttention(dependencies, { companyId, appId }, thresholdsOf(rules))
    findings.push(...items.map((item) => findingOf(item, name)))
  }
  return findings
}

/** Rules about the company or the installation: they are found in each app, and reported once. */
const noApps: ReadonlySet<AlertRuleName> = new Set(['low_balance', 'failing_provider', 'ip_source'])

const findingOf = (
  { kind, severity, message, subject }: Awaited<ReturnType<typeof findAttention>>[number],
  appName: string,
): Finding => ({
  rule: kind,
  subject,
  severity,
  message: noApps.has(kind) ? message : `${appName}: ${message}`,
})
