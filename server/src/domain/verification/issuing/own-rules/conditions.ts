/**
 * The conditions of an app's own rules. A condition holds, does not hold, or is unknown: for a call that is being
 * decided everything is known, for a recorded one it is not.
 */
import type {
  ChannelName,
  IpClass,
  KeyKind,
  RecipientType,
  RuleConditionName,
  RuleConditions,
} from '@countersign/contract'
import { parseMicros } from '../../../billing/index.ts'

/** Whose sends are counted. */
export type CountedOf = 'recipient' | 'address' | 'app'
/** What the lists say of the client IP: `none` without one. */
export type IpListed = IpClass | 'unlisted' | 'none'

/** Undefined means not known; null means that there is none. Costly values are functions, called only if needed. */
export interface Circumstances {
  readonly country: string | null
  readonly recipientType: RecipientType
  readonly emailDomain: string | null | undefined
  readonly keyKind: KeyKind | undefined
  readonly nowMs: number
  readonly number: () => string | null | undefined
  readonly ipClass: () => IpListed | undefined
  readonly ipCountry: () => string | null | undefined
  readonly isKnown: () => boolean | undefined
  readonly sends: (of: CountedOf, windowSeconds: number) => number | null | undefined
  readonly channel: () => ChannelName | null | undefined
  readonly priceMicros: () => bigint | null | undefined
}

type Condition = (circumstances: Circumstances) => boolean | undefined
type AllWanted = { readonly [Name in RuleConditionName]-?: NonNullable<RuleConditions[Name]> }
type SomeWanted = { readonly [Name in RuleConditionName]?: AllWanted[Name] | undefined }
type Wanted<Name extends RuleConditionName> = AllWanted[Name]

const makers: { readonly [Name in RuleConditionName]: (wanted: AllWanted[Name]) => Condition } = {
  country: (list) => oneOf(list, ({ country }) => country),
  channel: (list) => oneOf(list, ({ channel }) => channel()),
  recipient_type: (list) => oneOf(list, ({ recipientType }) => recipientType),
  key_kind: (list) => oneOf(list, ({ keyKind }) => keyKind),
  ip_class: (list) => oneOf(list, ({ ipClass }) => ipClass()),
  ip_country: (list) => oneOf(list, ({ ipCountry }) => ipCountry()),
  known: (wanted) => oneOf([wanted].flat(), ({ isKnown }) => isKnown()),
  email_domain: isWithinDomains,
  prefix: hasPrefix,
  sends_of_recipient: (range) => hasSent('recipient', range),
  sends_of_address: (range) => hasSent('address', range),
  sends_of_app: (range) => hasSent('app', range),
  price: costs,
  hour: isAt,
}

function makeOne<Name extends RuleConditionName>(name: Name, when: SomeWanted): Condition | null {
  const wanted: AllWanted[Name] | undefined = when[name]
  return wanted === undefined ? null : makers[name](wanted)
}

/** The cheap ones come first: most sends fail one of those, and the rest are then not evaluated. */
const names: readonly RuleConditionName[] = [
  'recipient_type',
  'country',
  'key_kind',
  'hour',
  'email_domain',
  'prefix',
  'ip_class',
  'ip_country',
  'known',
  'sends_of_recipient',
  'sends_of_address',
  'sends_of_app',
  'channel',
  'price',
]

export interface NamedCondition {
  readonly name: RuleConditionName
  readonly holds: Condition
}

export const conditionsOf = (when: RuleConditions): NamedCondition[] =>
  names.flatMap((name) => {
    const holds = makeOne(name, when)
    return holds ? [{ name, holds }] : []
  })

type Value = string | boolean
function oneOf(
  list: readonly Value[],
  read: (circumstances: Circumstances) => Value | null | undefined,
): Condition {
  const wanted: ReadonlySet<Value> = new Set(list)
  return (circumstances) => {
    const value = read(circumstances)
    return value === undefined ? undefined : value !== null && wanted.has(value)
  }
}

/** Includes subdomains: whoever owns a domain owns those. */
function isWithinDomains(list: readonly string[]): Condition {
  const wanted: ReadonlySet<string> = new Set(list)
  return ({ emailDomain }) => {
    if (emailDomain === undefined) return undefined
    for (let rest = emailDomain ?? ''; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
      if (wanted.has(rest)) return true
      if (!rest.includes('.')) return false
    }
    return false
  }
}

function hasPrefix(list: readonly string[]): Condition {
  return ({ number: read }) => {
    const number = read()
    return number === undefined
      ? undefined
      : number !== null && list.some((prefix) => number.startsWith(prefix))
  }
}

function hasSent(of: CountedOf, { gte = 0, lte, window_s }: Wanted<'sends_of_app'>): Condition {
  return ({ sends }) => {
    const count = sends(of, window_s)
    if (count === undefined) return undefined
    return count !== null && count >= gte && (lte === undefined || count <= lte)
  }
}

function costs({ gte, lte }: Wanted<'price'>): Condition {
  const lowest = gte === undefined ? 0n : parseMicros(gte)
  const highest = lte === undefined ? null : parseMicros(lte)
  return ({ priceMicros }) => {
    const price = priceMicros()
    if (price === undefined) return undefined
    return price !== null && price >= lowest && (highest === null || price <= highest)
  }
}

function isAt({ gte = 0, lte = 23 }: Wanted<'hour'>): Condition {
  return ({ nowMs }) => {
    const hour = new Date(nowMs).getUTCHours()
    return gte <= lte ? hour >= gte && hour <= lte : hour >= gte || hour <= lte
  }
}
