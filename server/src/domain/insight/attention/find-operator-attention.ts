/** What the operator should look at now: accounts, IP lists, partitions ahead, and companies in trouble. */
import type { AlertRuleName } from '@countersign/contract'
import type { CompanyId } from '../../../platform/ids.ts'
import { dayMs, readRoom } from '../../../platform/partitions.ts'
import { listCanaries } from '../../verification/index.ts'
import { type BlockOfAll, listAllBlocks } from '../all-blocks.ts'
import { count, underDays } from '../words.ts'
import {
  type AttentionDependencies,
  criticalFirst,
  type Item,
  iso,
  type Thresholds,
  usualThresholds,
} from './attention.ts'
import { findFailing } from './check-accounts.ts'
import { findFallen } from './check-conversion.ts'
import { findIpSources } from './check-guard.ts'
import { type ConversionOfApp, listTroubles, readAllConversions, type Trouble } from './operator-store.ts'

export interface OperatorItem extends Omit<Item, 'kind'> {
  readonly rule: AlertRuleName
  /** Null for an item about the installation itself. */
  readonly company: { readonly companyId: CompanyId; readonly name: string } | null
}

const wordsOf: Readonly<Record<Trouble['kind'], (daysLeft: number) => string>> = {
  wrong_codes: () => 'far more wrong codes than usual are being entered.',
  webhook_paused: () => 'a webhook endpoint is paused.',
  low_balance: (daysLeft) => `at the rate of the last day, the balance lasts ${underDays(daysLeft)}.`,
  no_balance: () => 'almost nothing is left of the balance.',
}

export async function findOperatorAttention(
  dependencies: AttentionDependencies,
  thresholds: Thresholds = usualThresholds,
): Promise<OperatorItem[]> {
  const { database } = dependencies
  const isAnybodys = () => true
  const [failing, room, canaries, blocks, troubles, conversions] = await Promise.all([
    findFailing(dependencies, null, thresholds.failingMinutes, isAnybodys),
    findShortRoom(dependencies, thresholds.partitionDays),
    findCanaries(dependencies),
    listAllBlocks(dependencies),
    listTroubles(database, thresholds.daysLeft),
    readAllConversions(database),
  ])
  const own = [...failing, ...canaries, ...findIpSources(dependencies), ...room].map(
    ({ kind, ...item }): OperatorItem => ({ ...item, rule: kind, company: null }),
  )
  const fallen = findFallen(conversions, thresholds.dropPercent, 'in the last two hours')
  return criticalFirst([
    ...own,
    ...findClosed(blocks),
    ...troubles.map(troubleOf(thresholds.daysLeft)),
    ...fallen.map(fallenOf),
  ])
}

/** One item for each app, and one for the places that its company shares. Blocks that are only watched are left out. */
function findClosed(blocks: readonly BlockOfAll[]): OperatorItem[] {
  const subjects = new Map<string, [BlockOfAll, ...BlockOfAll[]]>()
  for (const block of blocks.filter(({ isClosed }) => isClosed)) {
    const subject = block.isShared ? block.companyId : block.appId
    const own = subjects.get(subject)
    if (own) own.push(block)
    else subjects.set(subject, [block])
  }
  return [...subjects].map(([subject, own]): OperatorItem => {
    const [{ companyId, companyName }] = own
    const are = own.length === 1 ? 'is' : 'are'
    return {
      rule: 'pumping_blocks',
      severity: 'warning',
      message: `${companyName}: ${count(own.length, 'block')} against pumped traffic ${are} active.`,
      since: new Date(Math.min(...own.map(({ startedAtMs }) => startedAtMs))).toISOString(),
      subject,
      company: { companyId, name: companyName },
    }
  })
}

const fallenOf = ({
  companyId,
  companyName,
  appId,
  appName,
  name,
  words: what,
}: ConversionOfApp & { readonly words: string }): OperatorItem => ({
  rule: 'conversion_drop',
  severity: 'warning',
  message: `${companyName}, ${appName}: ${what}.`,
  since: null,
  subject: `${appId} ${name}`,
  company: { companyId, name: companyName },
})

const troubleOf =
  (daysLeft: number) =>
  ({ companyId, companyName, kind, appId, since }: Trouble): OperatorItem => ({
    rule: kind === 'no_balance' ? 'low_balance' : kind,
    severity: kind === 'low_balance' ? 'warning' : 'critical',
    message: `${companyName}: ${wordsOf[kind](daysLeft)}`,
    since: since?.toISOString() ?? null,
    subject: appId ?? companyId,
    company: { companyId, name: companyName },
  })

async function findCanaries({ database }: AttentionDependencies): Promise<Item[]> {
  return (await listCanaries(database)).flatMap((canary): Item[] => {
    const { account, isRun, failedStep, detail, failingSince } = canary
    if (failedStep === null || !isRun) return []
    const message = `The canary through ${account} failed at its step ${failedStep}. ${detail ?? ''}`.trim()
    return [
      { kind: 'canary_failed', severity: 'critical', message, since: iso(failingSince), subject: account },
    ]
  })
}

async function findShortRoom({ database, clock }: AttentionDependencies, least: number): Promise<Item[]> {
  const days = Math.floor(((await readRoom(database)) - clock.nowMs()) / dayMs)
  if (days >= least) return []
  const message = `Partitions exist for ${count(Math.max(0, days), 'more day')}. On a day without a partition, every send is refused.`
  return [{ kind: 'partitions_short', severity: 'critical', message, since: null, subject: 'partitions' }]
}
