/** A provider account as it is stored: found, opened, and shown without its credentials. */
import type { AnyKind } from '../../channels/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import type { Owner } from '../../platform/tenant.ts'
import { noSuch, validationError } from '../answers/index.ts'
import { type AccountState, judge, noHour } from './health/health.ts'
import type { StateOf } from './health/read-state.ts'
import type { Settings } from './provider-settings.ts'
import * as store from './provider-store.ts'
import { secretsContext } from './registry.ts'

export interface ManageProvidersDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly kinds: ReadonlyMap<string, AnyKind>
  readonly door: Pick<SafeDoor, 'findAccountProblem'>
}

export type ListedProvider = Omit<store.StoredProvider, 'secrets' | 'revision'> & {
  readonly state: AccountState
  readonly credentialsSet: readonly string[]
  /** If one of these settings changes, all of these credentials must be given again. */
  readonly destination: { readonly settings: readonly string[]; readonly credentials: readonly string[] }
  /** Null if the provider does not call back; otherwise the token that follows the account's id in the callback URL. */
  readonly callback: { readonly token: string | null } | null
}

export async function getProvider(
  { database }: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
): Promise<store.StoredProvider> {
  const found = await store.findProvider(database.of(ownerId), providerId)
  if (!found) throw noSuch('provider')
  return found
}

export function kindOf({ kinds }: ManageProvidersDependencies, name: string): AnyKind {
  const kind = kinds.get(name)
  if (!kind) throw validationError([{ path: 'kind', message: 'is not a kind of provider' }])
  return kind
}

/** Empty if the credentials cannot be decrypted: the account is still listed, and they have to be given again. */
export function openSecrets(
  { keyring, kinds }: ManageProvidersDependencies,
  row: store.StoredProvider,
): Settings {
  const kind = kinds.get(row.kind)
  if (!kind) return {}
  try {
    const context = secretsContext(row.providerId, kind, row.settings)
    return JSON.parse(keyring().open(row.secrets, context)) as Settings
  } catch {
    return {}
  }
}

/** The state of an account that is new, or is switched off and so not used. */
export const unknownState: AccountState = { ...judge(undefined), hour: noHour }

export function listed(
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
