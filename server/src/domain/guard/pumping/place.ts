/** Where a number lies: in which ranges of numbers, with which carrier, in which country. */
import { writeCarrierPlace } from '@countersign/contract'
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max'
import { issuerOf, mainCarrierOf, sizeOf } from '../numbering/carriers.ts'
import type { Level, PlaceLevel } from './levels.ts'

export interface RowKey {
  /** The app that the row belongs to; empty for a row that all apps of a company share. */
  readonly scope: string
  readonly row: string
  /** Scope and row as one text. */
  readonly rowName: string
}

/** A key of the book: the row that holds it, and the part within the row. */
export interface PlaceKey extends RowKey {
  readonly level: Level
  readonly part: string
  /** Scope, row and part as one text. */
  readonly name: string
  /** The name that people are shown, without the last digits of a phone number. */
  readonly label: string
}

export interface ClosableKey extends PlaceKey {
  readonly level: PlaceLevel
}

export const isClosable = (key: PlaceKey): key is ClosableKey =>
  key.level !== 'trial' && key.level !== 'unfamiliar' && key.level !== 'issuer'

export interface Parents {
  /** The carrier that the numbering plan issued the number to; only in countries where the app has its people. */
  readonly issuer: PlaceKey | null
  /** A prefix: country and first national digits. */
  readonly carrier: PlaceKey
  readonly country: PlaceKey
}

/** Ranges and addresses belong to the company, carriers and countries too, except where the app has its people. */
export interface Place {
  readonly ranges: readonly PlaceKey[]
  readonly home: Parents
  readonly abroad: Parents
  /** The parents for recipients whom the app has verified before. */
  readonly known: Parents
  readonly unfamiliar: PlaceKey
  readonly ip: PlaceKey | null
  /** Counts the first numbers of a company. */
  readonly trial: PlaceKey
  /** The row of what is normal for the app. */
  readonly fit: RowKey
  readonly region: string
  readonly appId: string
}

/** The parts that a place is made from, which are stored instead of it. */
export interface PlaceParts {
  readonly appId: string
  /** The hidden name of the range of ten thousand numbers. */
  readonly range: string
  /** The two digits that name the range of a hundred within it. */
  readonly hundred: string
  /** Region and first national digits: `GB:740`. */
  readonly carrier: string
  /** The row of the carrier that the numbering plan names; null if it names none. */
  readonly issuer: string | null
  readonly ip: string | null
}

export interface PlacedNumber {
  readonly appId: string
  /** E.164. */
  readonly number: string
  /** The number's own region. */
  readonly region: string
  readonly ipKey: string | null
}

const hiddenDigits = 4
/** Long national numbers name their carrier or area in three digits, short ones in two. */
const longNational = 9

/** `hideRange` turns a range of numbers into a name that says nothing about them. */
export function placeOf(
  { appId, number, region, ipKey }: PlacedNumber,
  hideRange: (prefix: string) => string,
): Place {
  const prefix = number.slice(0, -hiddenDigits)
  const { carrier, issuer } = carriersOf(number.slice(1), region)
  const parts = {
    appId,
    range: hideRange(prefix),
    hundred: number.slice(-hiddenDigits, -hiddenDigits + 2),
    carrier,
    issuer,
    ip: ipKey,
  }
  return placeFrom(parts, `${prefix}${'x'.repeat(hiddenDigits)}`)
}

/** The part of a range's label that names its numbers. */
export const shownPrefix = (label: string): string => label.slice(0, -hiddenDigits)

/**
 * A number has two carriers: its prefix, and the issuer that the numbering plan names. An issuer with fewer numbers
 * than a prefix is a place of its own, so that its ranges in all prefixes are closed at once. Of a larger issuer only
 * prefixes are closed, since it may have a third of a country; but what its prefixes owe together raises an alarm for
 * each of them.
 */
function carriersOf(digits: string, region: string): Pick<PlaceParts, 'carrier' | 'issuer'> {
  const callingDigits = getCountryCallingCode(region as CountryCode).length
  const prefix = digits.slice(0, callingDigits + (digits.length - callingDigits >= longNational ? 3 : 2))
  const issuer = issuerOf(digits)
  const isSmall = issuer !== null && issuer.size < sizeOf(prefix)
  return {
    carrier: `${region}:${prefix.slice(callingDigits)}`,
    issuer: issuer && `${isSmall ? smallIssuer : largeIssuer}:${region}:${issuer.name}`,
  }
}

const smallIssuer = 'carrier'
const largeIssuer = 'issuer'

function issuerKey(scope: string, row: string): PlaceKey {
  const [kind, country = '', carrier = ''] = row.split(':')
  const level = kind === smallIssuer ? 'carrier' : 'issuer'
  return keyOf(level, scope, row, '', writeCarrierPlace({ country, prefix: '', carrier }))
}

function prefixLabel(carrier: string): string {
  const [country = '', prefix = ''] = carrier.split(':')
  const main = mainCarrierOf(`${getCountryCallingCode(country as CountryCode)}${prefix}`)
  return writeCarrierPlace({ country, prefix, carrier: main ?? '' })
}

const shared = ''

export const rowNameOf = (scope: string, row: string) => `${scope} ${row}`

function keyOf(level: Level, scope: string, row: string, part: string, label: string): PlaceKey {
  const rowName = rowNameOf(scope, row)
  return { level, scope, row, part, rowName, name: `${rowName}/${part}`, label }
}

const trial = keyOf('trial', shared, 'trial', '', 'trial')
/** Stored in the row of the trial, since neither of the two is ever closed. */
const unfamiliar = keyOf('unfamiliar', shared, 'trial', 'unfamiliar', '')
export const fitRow = 'fit'
const knownPart = 'known'

interface Carriers extends Pick<Place, 'home' | 'abroad' | 'known' | 'fit'> {
  readonly region: string
}

/** Thousands of people share a carrier, so its keys are made once for all of them. */
const carriers = new Map<string, Carriers>()
const mostCarriers = 20_000

function carriersIn(appId: string, carrier: string, issuer: string | null): Carriers {
  const name = `${appId} ${carrier} ${issuer}`
  const found = carriers.get(name)
  if (found) return found
  if (carriers.size >= mostCarriers) carriers.clear()
  const made = makeCarriers(appId, carrier, issuer)
  carriers.set(name, made)
  return made
}

function makeCarriers(appId: string, carrier: string, issuer: string | null): Carriers {
  const [region = ''] = carrier.split(':')
  const label = prefixLabel(carrier)
  const [carrierRow, countryRow] = [`carrier:${carrier}`, `country:${region}`]
  const parents = (scope: string): Parents => ({
    issuer: scope === shared || issuer === null ? null : issuerKey(scope, issuer),
    carrier: keyOf('carrier', scope, carrierRow, '', label),
    country: keyOf('country', scope, countryRow, '', region),
  })
  return {
    region,
    fit: { scope: appId, row: fitRow, rowName: rowNameOf(appId, fitRow) },
    home: parents(appId),
    abroad: parents(shared),
    known: {
      issuer: null,
      carrier: keyOf('known_carrier', appId, carrierRow, knownPart, label),
      country: keyOf('known_country', appId, countryRow, knownPart, region),
    },
  }
}

/** A place that is made from stored parts has no label. */
export function placeFrom({ appId, range, hundred, carrier, issuer, ip }: PlaceParts, label = ''): Place {
  const row = `range:${range}`
  const { region, home, abroad, known, fit } = carriersIn(appId, carrier, issuer)
  return {
    ranges: [
      keyOf('r100', shared, row, hundred, label),
      keyOf('r1k', shared, row, hundred.slice(0, 1), label),
      keyOf('r10k', shared, row, '', label),
    ],
    home,
    abroad,
    known,
    unfamiliar,
    ip: ip === null ? null : keyOf('ip', shared, `ip:${ip}`, '', ip),
    trial,
    fit,
    region,
    appId,
  }
}

/** The rows that must be read before a number can be judged. */
export const rowsOf = ({ ranges, home, abroad, ip, fit }: Place): RowKey[] => [
  ...ranges.slice(0, 1),
  ...(home.issuer ? [home.issuer] : []),
  home.carrier,
  home.country,
  abroad.carrier,
  abroad.country,
  trial,
  fit,
  ...(ip ? [ip] : []),
]

export const isSafe = (spellings: readonly string[], safePrefixes: readonly string[]) =>
  safePrefixes.some((prefix) => spellings.some((number) => number.startsWith(prefix)))
