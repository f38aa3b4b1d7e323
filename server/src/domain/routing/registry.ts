/** The open accounts of this node: those in the database, kept up to date, and those built in. */
import type { AccountContext, ProviderAccount, Receipt } from '../../channels/channel.ts'
import type { AnyKind } from '../../channels/index.ts'
import type { Database } from '../../platform/database.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { describeError, type Log, type LogFields } from '../../platform/log.ts'
import { oneAtATime } from '../../platform/one-at-a-time.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import type { AccountRef } from './health/book.ts'
import { listEveryProvider, type StoredProvider } from './provider-store.ts'
import { chooseAmong, type Listeners, type Provider, type Providers, type Reach } from './providers.ts'

export interface RegistryDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly kinds: ReadonlyMap<string, AnyKind>
  readonly builtIn: readonly Provider[]
  readonly onReceipt: (providerId: string, receipt: Receipt) => Promise<void>
  /** True on a node that only answers requests: its accounts hold no connection of their own. */
  readonly isPassive: boolean
  /** Decides what a company's own accounts may connect to. */
  readonly door: Pick<SafeDoor, 'accountLookup' | 'refusesAccount'>
  readonly log: Log
}

export interface Registry extends Providers, Listeners {
  /** Accounts that cannot be opened with their settings. */
  readonly unopened: () => readonly AccountRef[]
  /** True if nothing is sent from this node, so that accounts hold no connection of their own. */
  readonly isPassive: boolean
  /** Opens an account separately, even if it is not in use here; the caller closes it. */
  readonly openApart: (row: StoredProvider) => Provider
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The context that secrets are sealed with. It includes the destination: whoever can only write to the database must
 * not be able to send the secrets elsewhere.
 */
export function secretsContext(
  providerId: string,
  { destination }: Pick<AnyKind, 'destination'>,
  settings: Readonly<Record<string, unknown>>,
): string {
  const goesTo = destination.settings.flatMap((name) =>
    settings[name] === undefined ? [] : [[name, settings[name]]],
  )
  return `secrets of ${providerId} for ${JSON.stringify(goesTo)}`
}

interface Opened {
  readonly revision: number
  readonly provider: Provider
}

export function createRegistry(dependencies: RegistryDependencies): Registry {
  const { database, builtIn, log } = dependencies
  let opened: ReadonlyMap<string, Opened> = new Map()
  let broken: ReadonlyMap<string, Broken> = new Map()
  let list: readonly Provider[] = builtIn
  let listeners = byId(builtIn)

  let isClosed = false

  /** One after the other: two at once would open an account twice. */
  const reload = oneAtATime(async () => {
    const rows = await listEveryProvider(database)
    // Nobody would close accounts that are opened after this.
    if (isClosed) return
    const next = openAll(dependencies, rows, opened)
    tellBroken(broken, next.broken, log)
    broken = next.broken
    const gone = [...opened.values()].flatMap(({ provider }) =>
      next.opened.get(provider.providerId)?.provider === provider ? [] : [provider],
    )
    opened = next.opened
    const all = [...[...opened.values()].map(({ provider }) => provider), ...builtIn]
    list = all.filter(({ isResting = false }) => !isResting)
    listeners = byId(all)
    await closeAll(
      [...gone, ...next.deaf].map(({ account }) => account),
      log,
    )
  })

  return {
    reload,
    usable: (...wanted) => chooseAmong({ list, unopened: [...broken.values()] }, ...wanted),
    all: () => list,
    isPassive: dependencies.isPassive,
    unopened: () => [...broken.values()],
    openApart: (row) => open({ ...dependencies, isPassive: true }, row),
    find: (providerId) => list.find((provider) => provider.providerId === providerId),
    listeners: () => listeners.values(),
    findListener: (providerId) => listeners.get(providerId),
    close: () => {
      isClosed = true
      return closeAll(
        [...listeners.values()].map((provider) => provider.account),
        log,
      )
    },
  }
}

const byId = (list: readonly Provider[]): ReadonlyMap<string, Provider> =>
  new Map(list.map((provider) => [provider.providerId, provider]))

interface Broken extends AccountRef, Reach {
  readonly why: LogFields
}

interface Next {
  readonly opened: ReadonlyMap<string, Opened>
  readonly broken: ReadonlyMap<string, Broken>
  /** Accounts that are switched off, but receive receipts over a connection of their own: to be closed at once. */
  readonly deaf: readonly Provider[]
}

/** Accounts that have not changed stay open. */
function openAll(
  dependencies: RegistryDependencies,
  rows: readonly StoredProvider[],
  before: ReadonlyMap<string, Opened>,
): Next {
  const opened = new Map<string, Opened>()
  const broken = new Map<string, Broken>()
  const deaf: Provider[] = []
  for (const row of rows) {
    const { providerId, revision, ownerId } = row
    const known = before.get(providerId)
    const result = known?.revision === revision ? known.provider : tryToOpen(dependencies, row)
    if ('account' in result) {
      if (row.isEnabled || hearsOfItself(result)) opened.set(providerId, { revision, provider: result })
      else deaf.push(result)
    } else if (row.isEnabled) {
      broken.set(providerId, { ...reachOf(row), ownerId, providerId, revision, why: result.why })
    }
  }
  return { opened, broken, deaf }
}

/** One account that cannot be opened must not keep the others from working. */
function tryToOpen(dependencies: RegistryDependencies, row: StoredProvider): Provider | Pick<Broken, 'why'> {
  try {
    if (row.isEnabled) return open(dependencies, row)
    return { ...open({ ...dependencies, isPassive: true }, row), isResting: true }
  } catch (error) {
    return { why: describeError(error) }
  }
}

/** Whether receipts come by callback or mail; otherwise the carrier keeps them until the account's next connection. */
const hearsOfItself = ({ account }: Provider) =>
  account.parseCallback !== undefined || account.ownsReturnPath !== undefined

/** All accounts are read again after any change, so a broken one is logged only if that is new. */
function tellBroken(before: ReadonlyMap<string, Broken>, after: ReadonlyMap<string, Broken>, log: Log): void {
  for (const [provider, { revision, why }] of after) {
    const known = before.get(provider)
    if (known?.revision === revision && known.why.error === why.error) continue
    log('error', 'a provider account cannot be opened', { provider, ...why })
  }
}

function open(
  { keyring, kinds, onReceipt, isPassive, door, log }: RegistryDependencies,
  row: StoredProvider,
): Provider {
  const kind = kinds.get(row.kind)
  if (!kind) throw new Error('unknown kind')
  const context = secretsContext(row.providerId, kind, row.settings)
  const secrets = JSON.parse(keyring().open(row.secrets, context)) as Record<string, unknown>
  const settings = kind.settings.parse({ ...row.settings, ...secrets })
  const isOperators = row.ownerId === operatorOwner
  const host = { ...kind.destination.hostOf(settings), isOperators }
  if (door.refusesAccount(host)) throw new Error('not an address that may be called')
  const lookup = door.accountLookup(host)
  return {
    providerId: row.providerId,
    kind: row.kind,
    ...reachOf(row),
    priority: row.priority,
    costs: row.costs,
    whatsappNumber: whatsappNumberIn(settings),
    revision: row.revision,
    account: kind.open(settings, accountContext(row.providerId, onReceipt, { isPassive, lookup }, log)),
  }
}

const reachOf = ({ channel, ownerId, countries }: StoredProvider): Reach => ({
  channel,
  companyId: ownerId === operatorOwner ? null : ownerId,
  countries,
})

export function accountContext(
  providerId: string,
  onReceipt: RegistryDependencies['onReceipt'],
  { isPassive, lookup }: Pick<AccountContext, 'isPassive' | 'lookup'>,
  log: Log,
): AccountContext {
  return {
    providerId,
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
