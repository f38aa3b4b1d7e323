/** The open accounts of this node: those in the database, kept as it has them, and those built in. */
import type { AccountContext, ProviderAccount, Receipt } from '../../channels/channel.ts'
import type { AnyKind } from '../../channels/index.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { describeError, type Log } from '../../platform/log.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { listProviders, operatorOwner, type StoredProvider } from './provider-store.ts'
import { chooseAmong, type Provider, type Providers } from './providers.ts'

export interface RegistryDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly kinds: ReadonlyMap<string, AnyKind>
  readonly builtIn: readonly Provider[]
  readonly onReceipt: (providerId: string, receipt: Receipt) => Promise<void>
  /** True on a node that only answers requests: its accounts hold no connection of their own. */
  readonly isPassive: boolean
  /** What a company's own accounts may talk to. */
  readonly door: Pick<SafeDoor, 'lookup' | 'refusesLiteral'>
  readonly log: Log
}

export interface Registry extends Providers {
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

export const secretsContext = (providerId: string) => `secrets of ${providerId}`

export function createRegistry(dependencies: RegistryDependencies): Registry {
  const { database, builtIn, log } = dependencies
  let opened = new Map<string, { revision: number; provider: Provider }>()
  let list: readonly Provider[] = builtIn

  let reloading: Promise<void> = Promise.resolve()

  /** One after the other: two at once would open an account twice. */
  const reload = (): Promise<void> => {
    reloading = reloading.catch(() => {}).then(reloadNow)
    return reloading
  }

  async function reloadNow(): Promise<void> {
    const rows = (await listProviders(database)).filter((row) => row.isEnabled)
    const next = new Map<string, { revision: number; provider: Provider }>()
    for (const row of rows) {
      const known = opened.get(row.providerId)
      const provider = known?.revision === row.revision ? known.provider : open(dependencies, row)
      if (provider) next.set(row.providerId, { revision: row.revision, provider })
    }
    const gone = [...opened.values()].filter(
      ({ provider }) => next.get(provider.providerId)?.provider !== provider,
    )
    opened = next
    list = [...[...next.values()].map(({ provider }) => provider), ...builtIn]
    await closeAll(
      gone.map(({ provider }) => provider.account),
      log,
    )
  }

  return {
    reload,
    usable: (companyId, channel, country) => chooseAmong(list, companyId, channel, country),
    all: () => list,
    find: (providerId) => list.find((provider) => provider.providerId === providerId),
    close: () =>
      closeAll(
        list.map((provider) => provider.account),
        log,
      ),
  }
}

function open(
  { keyring, kinds, onReceipt, isPassive, door, log }: RegistryDependencies,
  row: StoredProvider,
): Provider | null {
  const kind = kinds.get(row.kind)
  try {
    if (!kind) throw new Error('unknown kind')
    const secrets = JSON.parse(keyring().open(row.secrets, secretsContext(row.providerId))) as Record<
      string,
      unknown
    >
    const settings = kind.settings.parse({ ...row.settings, ...secrets })
    const isOperators = row.ownerId === operatorOwner
    if (!isOperators && door.refusesLiteral(kind.hostOf(settings))) throw new Error('not a public address')
    const lookup = isOperators ? null : door.lookup
    return {
      providerId: row.providerId,
      kind: row.kind,
      channel: row.channel,
      companyId: isOperators ? null : (row.ownerId as CompanyId),
      countries: row.countries,
      priority: row.priority,
      whatsappNumber: whatsappNumberIn(settings),
      account: kind.open(settings, accountContext(row.providerId, onReceipt, { isPassive, lookup }, log)),
    }
  } catch (error) {
    // One account that cannot be opened must not keep the others from working.
    log('error', 'a provider account cannot be opened', { provider: row.providerId, ...describeError(error) })
    return null
  }
}

export function accountContext(
  providerId: string,
  onReceipt: RegistryDependencies['onReceipt'],
  { isPassive, lookup }: Pick<AccountContext, 'isPassive' | 'lookup'>,
  log: Log,
): AccountContext {
  return {
    isPassive,
    lookup,
    onReceipt: (receipt) => onReceipt(providerId, receipt),
    log: (level, message, fields) => log(level, message, { provider: providerId, ...fields }),
  }
}

export const whatsappNumberIn = (settings: Readonly<Record<string, unknown>>) =>
  typeof settings.number === 'string' ? settings.number.replace(/\D/g, '') : null

async function closeAll(accounts: readonly ProviderAccount[], log: Log): Promise<void> {
  const results = await Promise.allSettled(accounts.map((account) => account.close()))
  for (const result of results) {
    if (result.status === 'rejected')
      log('warn', 'a provider account did not close', describeError(result.reason))
  }
}
