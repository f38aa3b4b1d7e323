/** Checks and seals the settings of a provider account, and writes it as a whole. */
import { parseBody } from '@countersign/contract'
import type { AnyKind } from '../../channels/index.ts'
import type { Database } from '../../platform/database.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { type Owner, operatorOwner } from '../../platform/tenant.ts'
import { noSuch, validationError } from '../answers/index.ts'
import { findCompany, providersOfCompany, providersOfOperator } from '../tenancy/index.ts'
import { readStates } from './health/read-state.ts'
import { assertStorable, type Settings } from './provider-settings.ts'
import * as store from './provider-store.ts'
import { secretsContext } from './registry.ts'
import {
  kindOf,
  type ListedProvider,
  listed,
  type ManageProvidersDependencies,
  unknownState,
} from './stored-provider.ts'

export const boundOf = (ownerId: Owner) =>
  ownerId === operatorOwner ? providersOfOperator : providersOfCompany

interface ProviderToWrite
  extends Omit<store.StoredProvider, 'settings' | 'secrets' | 'revision' | 'createdAt'> {
  /** With the credentials. */
  readonly settings: Settings
  /** What the change is based on; null for a new account. */
  readonly revision: number | null
}

/** Returns what writes the account, which gives undefined if the change was overtaken, or is one too many. */
export async function prepareWrite(
  dependencies: ManageProvidersDependencies,
  { settings: given, revision, ...provider }: ProviderToWrite,
): Promise<(database: Database) => Promise<ListedProvider | undefined>> {
  const { ownerId, providerId } = provider
  const kind = kindOf(dependencies, provider.kind)
  const complete = await checkSettings(dependencies, { kind, ownerId, given })
  const { settings, secrets } = divide(kind, complete)
  const keyring = dependencies.keyring()
  const context = secretsContext(providerId, kind, settings)
  const sealed = keyring.seal(keyring.current(dependencies.clock.nowMs()), JSON.stringify(secrets), context)
  return async (database) => {
    const stored = await database.transaction(async (transaction) => {
      await raiseRevision(transaction)
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

/** Returns the settings with what their kind adds. The host is looked up, so this may take a while. */
async function checkSettings(
  { door }: ManageProvidersDependencies,
  { kind, ownerId, given }: { readonly kind: AnyKind; readonly ownerId: Owner; readonly given: Settings },
): Promise<Settings> {
  const { data, problems } = parseBody(kind.settings, given)
  if (problems) {
    const inSettings = (path: string) => (path === '' ? 'settings' : `settings.${path}`)
    throw validationError(problems.map(({ path, message }) => ({ path: inSettings(path), message })))
  }
  const complete = kind.complete(data)
  assertStorable(complete)
  const isOperators = ownerId === operatorOwner
  const problem = await door.findAccountProblem({ ...kind.destination.hostOf(complete), isOperators })
  if (problem) throw validationError([{ path: 'settings', message: `cannot be used: ${problem}` }])
  return complete
}

/** The credentials apart from the rest. */
function divide(
  kind: AnyKind,
  complete: Settings,
): { readonly settings: Settings; readonly secrets: Settings } {
  const isSecret = ([name]: [string, unknown]) => kind.secretSettings.includes(name)
  const entries = Object.entries(complete)
  return {
    settings: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secrets: Object.fromEntries(entries.filter(isSecret)),
  }
}
