/** Provider accounts: written as a whole, checked by their kind, read back without their credentials. */
import { AppError, type ChannelName, parseBody } from '@countersign/contract'
import type { OutgoingMessage } from '../../channels/channel.ts'
import type { AnyKind } from '../../channels/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { HttpRequest } from '../../platform/http-client.ts'
import { type CompanyId, newId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { raiseRevision } from '../../platform/remember.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { type Owner, operatorOwner } from '../../platform/tenant.ts'
import {
  noSuch,
  type Page,
  type PageRequest,
  parseCursor,
  readPage,
  validationError,
} from '../answers/index.ts'
import { findCompany, limitReached, providersOfCompany, providersOfOperator } from '../tenancy/index.ts'
import { type AccountState, judge, noHour } from './health/health.ts'
import { readStates, type StateOf } from './health/read-state.ts'
import { assertCredentialsGiven, assertStorable, type Settings } from './provider-settings.ts'
import * as store from './provider-store.ts'
import type { Costs } from './providers.ts'
import { secretsContext } from './registry.ts'

export interface ManageProvidersDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly kinds: ReadonlyMap<string, AnyKind>
  readonly door: Pick<SafeDoor, 'findAccountProblem'>
}

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

export type ListedProvider = Omit<store.StoredProvider, 'secrets' | 'revision'> & {
  readonly state: AccountState
  readonly credentialsSet: readonly string[]
  /** If one of these settings changes, all of these credentials must be given again. */
  readonly destination: { readonly settings: readonly string[]; readonly credentials: readonly string[] }
  /** Null if the provider does not call back; otherwise the token that follows the account's id in the callback URL. */
  readonly callback: { readonly token: string | null } | null
}

const defaultPriority = 100
/** The state of an account that is new, or is switched off and so not used. */
const unknownState: AccountState = { ...judge(undefined), hour: noHour }
/** The most tries: two people may change one account at once, and the second change is merged into the first. */
const maxRounds = 5

/** Checks its settings and looks its host up; what it returns makes the account. */
export async function prepareProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  { channel, kind: kindName, settings, ...order }: NewProvider,
): Promise<(database: Database) => Promise<ListedProvider>> {
  const { clock } = dependencies
  const kind = kindOf(dependencies, kindName)
  const write = await prepare(dependencies, kind, settings, null, {
    ownerId,
    providerId: newId('provider', clock.nowMs()),
    channel,
    kind: kindName,
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
    const write = await prepare(dependencies, kind, settings, current.revision, {
      ...current,
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

export interface ListAccounts extends PageRequest, store.ProviderFilter {
  /** Null for the accounts of all companies, the operator's first. */
  readonly companyId: CompanyId | null
}

export async function listAccounts(
  dependencies: ManageProvidersDependencies,
  { companyId, owners, channel, cursor, limit }: ListAccounts,
): Promise<Page<ListedProvider>> {
  const { database } = dependencies
  const after = parseCursor(cursor, parseProviderCursor)
  const { rows, nextCursor } = await readPage(
    limit,
    (most) =>
      companyId === null
        ? store.listAllProviders(database, { owners, channel }, after, most)
        : store.listProvidersOf(database.of(companyId), channel, after, most),
    ({ ownerId, providerId }) => `${ownerId}.${providerId}`,
  )
  const stateOf = await readStates(database, companyId)
  const listRow = (row: store.StoredProvider) =>
    listed(dependencies, row, openSecrets(dependencies, row), stateOf)
  return { rows: rows.map(listRow), nextCursor }
}

function parseProviderCursor(cursor: string): store.ProviderCursor | null {
  const [owner = '', provider = ''] = cursor.split('.')
  const ownerId = owner === operatorOwner ? operatorOwner : parseId('company', owner)
  const providerId = parseId('provider', provider)
  return ownerId && providerId ? { ownerId, providerId } : null
}

/** What an account would send for this message. Nothing is sent, and credentials are masked. */
export async function dryRunProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
  message: OutgoingMessage,
): Promise<HttpRequest> {
  const row = await getProvider(dependencies, ownerId, providerId)
  const kind = kindOf(dependencies, row.kind)
  const settings = kind.settings.safeParse({ ...row.settings, ...openSecrets(dependencies, row) })
  if (!kind.dryRun) throw validationError([{ path: 'provider_id', message: 'is not of the kind http' }])
  if (!settings.success)
    throw validationError([{ path: 'provider_id', message: 'needs its credentials to be given again' }])
  const request = kind.dryRun(settings.data, message)
  if (!request) throw validationError([{ path: 'text', message: 'does not fit its place in the address' }])
  return request
}

async function getProvider(
  { database }: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
): Promise<store.StoredProvider> {
  const found = await store.findProvider(database.of(ownerId), providerId)
  if (!found) throw noSuch('provider')
  return found
}

const boundOf = (ownerId: Owner) => (ownerId === operatorOwner ? providersOfOperator : providersOfCompany)

function kindOf({ kinds }: ManageProvidersDependencies, name: string): AnyKind {
  const kind = kinds.get(name)
  if (!kind) throw validationError([{ path: 'kind', message: 'is not a kind of provider' }])
  return kind
}

/**
 * `revision`: what the change is based on; null for a new account. The returned function writes the account, and returns
 * undefined if the change was overtaken, or is one too many.
 */
async function prepare(
  dependencies: ManageProvidersDependencies,
  kind: AnyKind,
  written: Settings,
  revision: number | null,
  provider: Omit<store.StoredProvider, 'settings' | 'secrets' | 'revision' | 'createdAt'>,
): Promise<(database: Database) => Promise<ListedProvider | undefined>> {
  const { clock, keyring: readKeyring, door } = dependencies
  const { data, problems } = parseBody(kind.settings, written)
  if (problems) {
    const inSettings = (path: string) => (path === '' ? 'settings' : `settings.${path}`)
    throw validationError(problems.map(({ path, message }) => ({ path: inSettings(path), message })))
  }
  const complete = kind.complete(data)
  assertStorable(complete)
  const isOperators = provider.ownerId === operatorOwner
  const problem = await door.findAccountProblem({ ...kind.destination.hostOf(complete), isOperators })
  if (problem) throw validationError([{ path: 'settings', message: `cannot be used: ${problem}` }])
  const isSecret = ([name]: [string, unknown]) => kind.secretSettings.includes(name)
  const entries = Object.entries(complete)
  const secrets = Object.fromEntries(entries.filter(isSecret))
  const settings = Object.fromEntries(entries.filter((entry) => !isSecret(entry)))
  const keyring = readKeyring()
  const context = secretsContext(provider.providerId, kind, settings)
  const sealed = keyring.seal(keyring.current(clock.nowMs()), JSON.stringify(secrets), context)
  return async (database) => {
    const stored = await database.transaction(async (transaction) => {
      await raiseRevision(transaction)
      const { ownerId } = provider
      // The company may have been closed while names were looked up: closing raises the revision, then
      // removes its accounts.
      if (ownerId !== operatorOwner && !(await findCompany(transaction.of(ownerId)))) throw noSuch('company')
      const tenant = transaction.of(ownerId)
      const next = { ...provider, settings, secrets: sealed }
      return revision === null
        ? store.insertProvider(tenant, next, boundOf(ownerId).most)
        : store.updateProvider(tenant, next, revision)
    })
    if (!stored) return undefined
    const stateOf = revision === null ? () => unknownState : await readStates(database, stored.ownerId)
    return listed(dependencies, stored, secrets, stateOf)
  }
}

/** Empty if the credentials cannot be decrypted: the account is still listed, and they have to be given again. */
function openSecrets({ keyring, kinds }: ManageProvidersDependencies, row: store.StoredProvider): Settings {
  const kind = kinds.get(row.kind)
  if (!kind) return {}
  try {
    const context = secretsContext(row.providerId, kind, row.settings)
    return JSON.parse(keyring().open(row.secrets, context)) as Settings
  } catch {
    return {}
  }
}

function listed(
  { kinds }: ManageProvidersDependencies,
  { secrets: _, revision, ...row }: store.StoredProvider,
  secrets: Settings,
  stateOf: StateOf,
): ListedProvider {
  const kind = kinds.get(row.kind)
  const { settings, credentials } = kind?.destination ?? { settings: [], credentials: [] }
  return {
    ...row,
    state: row.isEnabled ? stateOf({ providerId: row.providerId, revision }) : unknownState,
    credentialsSet: Object.keys(secrets).sort(),
    destination: { settings, credentials: credentials.filter((name) => name in secrets) },
    callback: kind?.callbackOf({ ...row.settings, ...secrets }) ?? null,
  }
}
