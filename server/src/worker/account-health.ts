/**
 * Once a second, writes what this node has seen of provider accounts. The state of a connection is written when it
 * changes, and repeated every few seconds, because the last word of a silent node is not believed.
 */
import type { Connection } from '../channels/channel.ts'
import {
  type AccountRef,
  addToFacts,
  type HealthBook,
  type Provider,
  type Registry,
  readStates,
  refOf,
} from '../domain/routing/index.ts'
import type { Database } from '../platform/database.ts'
import type { Log, Warn } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { AccountLabels } from '../platform/traffic-metrics.ts'
import { writeOften } from './write-often.ts'

const everyMs = 1_000
const repeatMs = 5_000
/** How often the states of all accounts are read for the metrics. */
const measureMs = 15_000
const cannotOpen: Connection = {
  kind: 'down',
  error: { code: 'cannot_open', message: 'The account cannot be opened with its settings and credentials.' },
}

export interface HealthWriterDependencies {
  readonly database: Database
  readonly health: HealthBook
  readonly providers: Pick<Registry, 'all' | 'find' | 'unopened' | 'isPassive'>
  readonly metrics: Pick<Metrics, 'countAccountMessages' | 'keepAccounts' | 'setAccountsUp'>
  readonly log: Log
  readonly warn: Warn
}

export function startHealthWriter(dependencies: HealthWriterDependencies): Loop {
  const { database, health, providers, metrics, log, warn } = dependencies
  let reported = new Map<string, { readonly kind: Connection['kind']; readonly atMs: number }>()
  let measuredAtMs = Number.NEGATIVE_INFINITY

  function noteLinks(): void {
    const next: typeof reported = new Map()
    for (const [account, connection] of linksOf(providers)) {
      const name = `${account.providerId} ${account.revision}`
      const before = reported.get(name)
      const isNew = before?.kind !== connection.kind
      const isDue = isNew || performance.now() - (before?.atMs ?? 0) >= repeatMs
      if (isDue) health.connected(account, connection, isNew && before !== undefined)
      next.set(name, isDue || !before ? { kind: connection.kind, atMs: performance.now() } : before)
    }
    reported = next
  }

  async function measure(): Promise<void> {
    if (performance.now() - measuredAtMs < measureMs) return
    measuredAtMs = performance.now()
    metrics.keepAccounts(
      new Set(providers.all().flatMap((each) => [each.providerId, accountName(each).account])),
    )
    const accounts = providers.all().filter(({ revision }) => revision !== undefined)
    const stateOf = accounts.length === 0 ? null : await readStates(database, null)
    metrics.setAccountsUp(
      accounts.flatMap((provider) => {
        const ref = refOf(provider)
        const status = ref && stateOf?.(ref).status
        if (status !== 'up' && status !== 'failing') return []
        return [[labelsOf(provider), status === 'up' ? 1 : 0] as const]
      }),
    )
  }

  async function write(): Promise<void> {
    noteLinks()
    const noted = health.take()
    try {
      if (noted.length > 0) await addToFacts(database, noted)
    } catch (error) {
      health.putBack(noted)
      throw error
    }
    for (const entry of noted) count(dependencies, entry)
    await measure().catch((error: unknown) => warn('reading the state of provider accounts failed', error))
  }
  return writeOften({ everyMs, write, log, waits: 'the state of provider accounts waits to be written' })
}

/** On a node that sends nothing, a missing connection means nothing. */
function linksOf({ all, unopened, isPassive }: HealthWriterDependencies['providers']) {
  const links = new Map<AccountRef, Connection>()
  if (isPassive) return links
  for (const provider of all()) {
    const account = refOf(provider)
    const connection = provider.account.connection?.()
    if (account && connection) links.set(account, connection)
  }
  for (const account of unopened()) links.set(account, cannotOpen)
  return links
}

const labelsOf = ({ providerId, channel, kind }: Provider): AccountLabels => ({
  account: providerId,
  channel,
  provider: kind,
})

/** There may be any number of companies' accounts, so they share one name. */
export const accountName = (provider: Provider): AccountLabels =>
  provider.companyId === null ? labelsOf(provider) : { ...labelsOf(provider), account: 'companies' }

function count(
  { providers, metrics }: HealthWriterDependencies,
  noted: ReturnType<HealthBook['take']>[number],
): void {
  const provider = providers.find(noted.providerId)
  if (!provider) return
  for (const result of ['sent', 'failed', 'delivered'] as const)
    if (noted[result] > 0) metrics.countAccountMessages(labelsOf(provider), result, noted[result])
}
