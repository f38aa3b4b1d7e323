/** The accounts that can carry a message, best first. */
import type { ChannelName } from '@countersign/contract'
import type { ProviderAccount } from '../../channels/channel.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/tenant.ts'

/** What a provider asks for a message, as decimal amounts. */
export interface Costs {
  readonly default: string | null
  readonly countries: Readonly<Record<string, string>>
}

export interface Provider {
  readonly providerId: string
  readonly kind: string
  readonly channel: ChannelName
  /** Null for the operator's own, which every company may use. */
  readonly companyId: CompanyId | null
  /** Null for every country. */
  readonly countries: readonly string[] | null
  readonly priority: number
  /** Absent or null where nobody said. */
  readonly costs?: Costs | null
  /** Digits only; where a wa.me link leads. */
  readonly whatsappNumber: string | null
  readonly account: ProviderAccount
  /** Of the row that it was opened from; absent for what is built in. */
  readonly revision?: number
  /** The simulator's: what it carries reaches nobody, so it carries only where there is no other account. */
  readonly isSimulated?: boolean
  /** Switched off: it carries nothing, and is only heard on what it has carried. */
  readonly isResting?: boolean
}

const simulators = 'simulator-'
export const simulatorAccountId = (channel: ChannelName) => `${simulators}${channel}`
/** By its id alone: where the simulator does not run any more, what was accepted for it may still wait. */
export const isOfSimulator = (providerId: string) => providerId.startsWith(simulators)

export interface Providers {
  /** A company's own come before the operator's; the simulator's only where there is neither. */
  readonly usable: (ownerId: Owner, channel: ChannelName, country: string | null) => readonly Provider[]
  readonly find: (providerId: string) => Provider | undefined
  readonly all: () => readonly Provider[]
}

/** The accounts that their providers may speak to: also those that rest. */
export interface Listeners {
  readonly findListener: (providerId: string) => Provider | undefined
  readonly listeners: () => Iterable<Provider>
}

/** Only the simulator carries the company's messages. */
export const isTrial = (providers: Pick<Providers, 'all'>, companyId: CompanyId): boolean =>
  !providers.all().some((each) => !each.isSimulated && (each.companyId ?? companyId) === companyId)

const rank = (provider: Provider) => (provider.companyId ? 0 : 1)

/** A list that does not change. */
export const providersAmong = (list: readonly Provider[]): Providers => ({
  all: () => list,
  find: (providerId) => list.find((provider) => provider.providerId === providerId),
  usable: (...way) => chooseAmong({ list }, ...way),
})

/** Null where nobody said what it asks for a message there. */
export const costOf = ({ costs }: Provider, country: string | null): string | null =>
  (country === null ? undefined : costs?.countries[country]) ?? costs?.default ?? null

/** What the operator pays its carriers is not for the companies to see. */
export const hidesCost = ({ companyId, costs }: Provider) => companyId === null && Boolean(costs)

/** Those that are equals but for their priority: a company's own, or else the operator's or the simulator's. */
export function firstRank(usable: readonly Provider[]): readonly Provider[] {
  const [first] = usable
  return first ? usable.filter((provider) => rank(provider) === rank(first)) : []
}

/** For whom and where an account is. */
export type Reach = Pick<Provider, 'channel' | 'companyId' | 'countries'>

type Way = Parameters<Providers['usable']>

const isFor =
  (...[ownerId, channel, country]: Way) =>
  (account: Reach) =>
    account.channel === channel &&
    (account.companyId === null || account.companyId === ownerId) &&
    (account.countries === null || country === null || account.countries.includes(country))

/** The choice among a list; who keeps the list fresh is another matter, and knows which of them could not be opened. */
export function chooseAmong(
  { list, unopened = [] }: { readonly list: readonly Provider[]; readonly unopened?: readonly Reach[] },
  ...way: Way
): readonly Provider[] {
  const fits = isFor(...way)
  const fitting = list.filter(fits)
  const real = fitting.filter(({ isSimulated = false }) => !isSimulated)
  return (real.length > 0 || unopened.some(fits) ? real : fitting).sort(
    (left, right) => rank(left) - rank(right) || left.priority - right.priority,
  )
}

/**
 * Who may carry what was accepted for an account. What is simulated stays so, and nothing else is handed to the simulator,
 * whatever accounts have come or gone since.
 */
export function carriersAfter(providers: Providers, providerId: string, way: Way): readonly Provider[] {
  const accepted = providers.find(providerId)
  if (accepted?.isSimulated ?? isOfSimulator(providerId)) return accepted ? [accepted] : []
  return providers.usable(...way).filter(({ isSimulated = false }) => !isSimulated)
}
