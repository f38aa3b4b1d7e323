/** Creates, changes and removes provider accounts. */
import { AppError, type ChannelName } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { newId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import type { Owner } from '../../platform/tenant.ts'
import { limitReached } from '../tenancy/index.ts'
import { assertCredentialsGiven, type Settings } from './provider-settings.ts'
import * as store from './provider-store.ts'
import type { Costs } from './providers.ts'
import {
  getProvider,
  kindOf,
  type ListedProvider,
  type ManageProvidersDependencies,
  openSecrets,
} from './stored-provider.ts'
import { boundOf, prepareWrite } from './write-provider.ts'

export interface ProviderChange {
  readonly name?: string | null | undefined
  readonly settings?: Settings | undefined
  readonly countries?: readonly string[] | null | undefined
  readonly priority?: number | undefined
  readonly enabled?: boolean | undefined
  readonly costs?: GivenCosts | null | undefined
}

interface GivenCosts {
  readonly default?: string | null | undefined
  readonly countries?: Readonly<Record<string, string>> | undefined
}

const costsOf = (given: GivenCosts | null | undefined): Costs | null =>
  given ? { default: given.default ?? null, countries: given.countries ?? {} } : null

export interface NewProvider extends ProviderChange {
  readonly channel: ChannelName
  readonly kind: string
  readonly settings: Settings
}

const defaultPriority = 100
/** The most tries: two people may change one account at once, and the second change is merged into the first. */
const maxRounds = 5

/** Checks its settings and looks its host up; what it returns makes the account. */
export async function prepareProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  { channel, kind, settings, ...order }: NewProvider,
): Promise<(database: Database) => Promise<ListedProvider>> {
  const write = await prepareWrite(dependencies, {
    ownerId,
    providerId: newId('provider', dependencies.clock.nowMs()),
    channel,
    kind,
    settings,
    revision: null,
    name: order.name ?? null,
    countries: order.countries ?? null,
    priority: order.priority ?? defaultPriority,
    isEnabled: order.enabled ?? true,
    costs: costsOf(order.costs),
  })
  return async (database) => {
    const created = await write(database)
    if (!created) throw limitReached(boundOf(ownerId))
    return created
  }
}

export async function changeProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
  change: ProviderChange,
): Promise<ListedProvider> {
  for (let round = 0; round < maxRounds; round++) {
    const current = await getProvider(dependencies, ownerId, providerId)
    const kind = kindOf(dependencies, current.kind)
    const stored = { ...current.settings, ...openSecrets(dependencies, current) }
    const merged = { ...stored, ...change.settings }
    const settings = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
    assertCredentialsGiven(kind, stored, settings, change.settings ?? {})
    const write = await prepareWrite(dependencies, {
      ...current,
      settings,
      name: change.name === undefined ? current.name : change.name,
      countries: change.countries === undefined ? current.countries : change.countries,
      priority: change.priority ?? current.priority,
      isEnabled: change.enabled ?? current.isEnabled,
      costs: change.costs === undefined ? current.costs : costsOf(change.costs),
    })
    const changed = await write(dependencies.database)
    if (changed) return changed
  }
  throw new AppError('ConflictError', 'This provider is being changed by others. Try again.')
}

export async function removeProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
): Promise<void> {
  await getProvider(dependencies, ownerId, providerId)
  await dependencies.database.transaction(async (transaction) => {
    // The revision is locked first, as when accounts are written, so that the two cannot deadlock.
    await raiseRevision(transaction)
    await store.deleteProvider(transaction.of(ownerId), providerId)
  })
}
