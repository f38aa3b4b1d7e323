/** The accounts that can carry a message, best first. */
import type { ChannelName } from '@countersign/contract'
import type { ProviderAccount } from '../../channels/channel.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/tenant.ts'

/** What a provider charges for a message, as decimal amounts. */
export interface Costs {
  readonly default: string | null
  readonly countries: Readonly<Record<string, string>>
}

export interface Provider {
  readonly providerId: string
  readonly kind: string
  readonly channel: ChannelName
  /** Null for an account of the operator, which every company may use. */
  readonly companyId: CompanyId | null
  /** Null for every country. */
  readonly countries: readonly string[] | null
  readonly priority: number
  /** Absent or null if nobody has set the costs. */
  readonly costs?: Costs | null
  /** The number that a wa.me link leads to, digits only. */
  readonly whatsappNumber: string | null
  readonly account: ProviderAccount
  /** The revision of the row that the account was opened from; absent for a built-in account. */
  readonly revision?: number
  /** An account of the simulator: it reaches nobody, so it is used only if there is no other. */
  readonly isSimulated?: boolean
  /** The account is switched off: it carries nothing, and only takes receipts for what it has carried. */
  readonly isResting?: boolean
}

const simulators = 'simulator-'
export const simulatorAccountId = (channel: ChannelName) => `${simulators}${channel}`
/** Judged by the id alone, since messages may still wait for a simulator that no longer runs. */
export const isOfSimulator = (providerId: string) => providerId.startsWith(simulators)

export interface Providers {
  /** A company's own accounts come before the operator's; the simulator's are used only if there is neither. */
  readonly usable: (ownerId: Owner, channel: ChannelName, country: string | null) => readonly Provider[]
  readonly find: (providerId: string) => Provider | undefined
  readonly all: () => readonly Provider[]
}

/** The accounts whose receipts and messages are taken, including those that are switched off. */
export interface Listeners {
  readonly findListener: (providerId: string) => Provider | undefined
  readonly listeners: () => Iterable<Provider>
}

/** Whether only the simulator carries the company's messages. */
export const isTrial = (providers: Pick<Providers, 'all'>, companyId: CompanyId): boolean =>
  !providers.all().some((each) => !each.isSimulated && (each.companyId ?? companyId) === companyId)

const rank = (provider: Provider) => (provider.companyId ? 0 : 1)

/** Providers from a list that does not change. */
export const providersAmong = (list: readonly Provider[]): Providers => ({
  all: () => list,
  find: (providerId) => list.find((provider) => provider.providerId === providerId),
  usable: (...wanted) => chooseAmong({ list }, ...wanted),
})

/** What the account charges for a message there; null if nobody has set it. */
export const costOf = ({ costs }: Provider, country: string | null): string | null =>
  (country === null ? undefined : costs?.countries[country]) ?? costs?.default ?? null

/** Companies must not see what the operator pays its carriers. */
export const hidesCost = ({ companyId, costs }: Provider) => companyId === null && Boolean(costs)

/** Accounts that differ only in priority: the company's own, otherwise the operator's, otherwise the simulator's. */
export function firstRank(usable: readonly Provider[]): readonly Provider[] {
  const [first] = usable
  return first ? usable.filter((provider) => rank(provider) === rank(first)) : []
}

/** Whose messages an account may carry, and where. */
export type Reach = Pick<Provider, 'channel' | 'companyId' | 'countries'>

type UsableArguments = Parameters<Providers['usable']>

const isFor =
  (...[ownerId, channel, country]: UsableArguments) =>
  (account: Reach) =>
    account.channel === channel &&
    (account.companyId === null || account.companyId === ownerId) &&
    (account.countries === null || country === null || account.countries.includes(country))

/** Chooses among the open accounts of a list, knowing which others could not be opened. */
export function chooseAmong(
  { list, unopened = [] }: { readonly list: readonly Provider[]; readonly unopened?: readonly Reach[] },
  ...wanted: UsableArguments
): readonly Provider[] {
  const fits = isFor(...wanted)
  const fitting = list.filter(fits)
  const real = fitting.filter(({ isSimulated = false }) => !isSimulated)
  return (real.length > 0 || unopened.some(fits) ? real : fitting).sort(
    (left, right) => rank(left) - rank(right) || left.priority - right.priority,
  )
}

/**
 * The accounts that may carry a message that was accepted for this one. A message that was accepted for the simulator
 * stays with it, and no other goes to it, whatever accounts were added or removed since.
 */
export function carriersAfter(
  providers: Providers,
  providerId: string,
  wanted: UsableArguments,
): readonly Provider[] {
  const accepted = providers.find(providerId)
  if (accepted?.isSimulated ?? isOfSimulator(providerId)) return accepted ? [accepted] : []
  return providers.usable(...wanted).filter(({ isSimulated = false }) => !isSimulated)
}
