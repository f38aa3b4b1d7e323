/** What somebody should look at now. Each check looks at one thing and has nothing to say where all is well. */
import type { AttentionAnswer, ChannelName } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { formatMicros, priceOf, type ReadPrices } from '../billing/index.ts'
import { listBlocks, type Reputation } from '../guard/index.ts'
import type { Providers } from '../routing/index.ts'
import { type App, getApp } from '../tenancy/index.ts'
import { findEndpoint } from '../webhooks/index.ts'
import { hasApprovals, type ProviderRecord, readProviderRecords, readPurse } from './attention-store.ts'
import { readProgress } from './figures-store.ts'
import { channelWords, count } from './words.ts'

export interface AttentionDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
  readonly providers: Providers
  readonly reputation: Reputation
}

type Item = AttentionAnswer['items'][number]
type Check = (dependencies: AttentionDependencies, app: App) => Promise<Item[]>

/** A new thing to watch is one more check here. */
const checks: readonly Check[] = [checkEndpoint, checkBalance, checkMessages, checkBlocks, checkIpSources]

export async function findAttention(dependencies: AttentionDependencies, appId: AppId): Promise<Item[]> {
  const app = await getApp(dependencies, appId)
  const items = (await Promise.all(checks.map((check) => check(dependencies, app)))).flat()
  return items.sort(
    (left, right) => Number(right.severity === 'critical') - Number(left.severity === 'critical'),
  )
}

async function checkEndpoint({ database }: AttentionDependencies, { appId }: App): Promise<Item[]> {
  const endpoint = await findEndpoint(database, appId)
  if (endpoint?.status !== 'paused') return []
  const why = endpoint.reason ? `: ${endpoint.reason}` : ''
  const held = `${count(endpoint.held, 'event')} ${endpoint.held === 1 ? 'waits' : 'wait'} for it to be enabled.`
  const message = `The webhook endpoint is paused${why}. ${held}`
  return [{ kind: 'webhook_paused', severity: 'critical', message, since: iso(endpoint.pausedAt) }]
}

/** Fewer messages than this are left to nobody's surprise. */
const fewMessages = 5n

async function checkBalance({ database, prices }: AttentionDependencies, app: App): Promise<Item[]> {
  const { gatheredToMs } = await readProgress(database)
  const purse = await readPurse(database, app.companyId, gatheredToMs)
  if (!purse?.isMetered) return []
  const book = await prices()
  const channel = firstChannel(app)
  const price = priceOf(book, channel, null)
  const money = (micros: bigint) => `${formatMicros(micros).replace(/\.?0+$/, '')} ${book.currency}`
  const { balanceMicros, spentMicros } = purse
  const item = (severity: Item['severity'], message: string): Item[] => [
    { kind: 'low_balance', severity, message, since: null },
  ]
  if (balanceMicros < price) {
    const cost = `a message by ${channelWords[channel]} costs ${money(price)}`
    return item('critical', `The balance of ${money(balanceMicros)} is used up: ${cost}.`)
  }
  if (balanceMicros < spentMicros) {
    const pace = `The last day cost ${money(spentMicros)}: at this pace it lasts less than a day.`
    return item('warning', `The balance is ${money(balanceMicros)}. ${pace}`)
  }
  if (balanceMicros >= fewMessages * price) return []
  const left = count(Number(balanceMicros / price), 'message')
  return item(
    'warning',
    `The balance of ${money(balanceMicros)} is enough for ${left} by ${channelWords[channel]}.`,
  )
}

function firstChannel({ settings }: App): ChannelName {
  const { routing, channels } = settings
  return routing.default.find((channel) => channels[channel].enabled) ?? 'sms'
}

const fewestEnded = 20
const failingShare = 0.5

async function checkMessages(dependencies: AttentionDependencies, { appId }: App): Promise<Item[]> {
  const { database, clock, providers } = dependencies
  const records = await readProviderRecords(database, appId, clock.nowMs())
  const items = records.flatMap((record) => providerItems(record, nameOf(providers, record)))
  const settled = records.reduce((sum, record) => sum + record.settled, 0)
  const isNoneDelivered = settled >= fewestEnded && records.every(({ delivered }) => delivered === 0)
  // Many providers send no receipts; a code that was entered has been delivered too.
  if (!isNoneDelivered || (await hasApprovals(database, appId, clock.nowMs()))) return items
  const since = new Date(Math.min(...records.map(({ firstAt }) => firstAt.getTime())))
  const message = `Of ${settled} messages of the last hour none was reported delivered, and nobody was approved.`
  return [...items, { kind: 'no_messages_delivered', severity: 'critical', message, since: iso(since) }]
}

function providerItems(record: ProviderRecord, name: string): Item[] {
  const { recent, hour, waiting } = record
  const [seen, span] = recent.ended >= fewestEnded ? [recent, '15 minutes'] : [hour, 'hour']
  const isFailing = seen.ended >= fewestEnded && seen.failed >= failingShare * seen.ended
  const kind = 'failing_provider'
  return [
    ...(isFailing
      ? [
          {
            kind,
            severity: 'critical',
            message: `${name}: ${seen.failed} of ${seen.ended} messages of the last ${span} failed.`,
            since: iso(record.failedSince),
          } as const,
        ]
      : []),
    ...(waiting > 0
      ? [
          {
            kind,
            severity: 'critical',
            message: `${name}: ${count(waiting, 'message')} could not be handed over for more than a minute.`,
            since: iso(record.waitingSince),
          } as const,
        ]
      : []),
  ]
}

/** A company knows its own accounts; of the operator's it knows that there is one. */
function nameOf(providers: Providers, { providerId, channel }: ProviderRecord): string {
  const provider = providers.find(providerId)
  const about = channelWords[channel]
  if (provider && provider.companyId !== null) return `The ${about} account ${providerId} (${provider.kind})`
  return provider ? `The operator’s ${about} account` : `A ${about} account that is not there any more`
}

async function checkBlocks(
  { database, keyring }: AttentionDependencies,
  { appId, settings }: App,
): Promise<Item[]> {
  const blocks = await listBlocks({ database, keyring }, appId)
  if (blocks.length === 0) return []
  const since = new Date(Math.min(...blocks.map(({ startedAtMs }) => startedAtMs)))
  const what = `${count(blocks.length, 'block')} against pumped traffic ${blocks.length === 1 ? 'stands' : 'stand'}`
  const effect =
    settings.pumping.mode === 'enforce' ? '' : '; the guard only watches, so nothing is held back'
  return [{ kind: 'pumping_blocks', severity: 'warning', message: `${what}${effect}.`, since: iso(since) }]
}

async function checkIpSources({ reputation }: AttentionDependencies): Promise<Item[]> {
  return reputation.sources().flatMap(({ name, problem }) =>
    problem === null
      ? []
      : [
          {
            kind: 'ip_source',
            severity: 'warning',
            message: `The list of addresses ${name} cannot be relied on: ${problem}.`,
            since: null,
          } as const,
        ],
  )
}

const iso = (date: Date | null) => date?.toISOString() ?? null
