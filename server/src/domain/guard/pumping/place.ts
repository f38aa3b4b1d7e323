/** Where a number lies: in which ranges of numbers, with which carrier, in which country. */
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max'
import type { Level, PlaceLevel } from './levels.ts'

/** A key of the book: the row that holds it, and the part within the row. */
export interface PlaceKey {
  readonly level: Level
  readonly row: string
  readonly part: string
  /** Row and part as one text. */
  readonly name: string
  /** What people are shown; never so much of a number that its last digits complete it. */
  readonly label: string
}

/** The key of a place that can be closed. */
export interface ClosableKey extends PlaceKey {
  readonly level: PlaceLevel
}

export const isClosable = (key: PlaceKey): key is ClosableKey =>
  key.level !== 'trial' && key.level !== 'learning'

export interface Place {
  readonly ranges: readonly PlaceKey[]
  readonly carrier: PlaceKey
  readonly country: PlaceKey
  readonly unfamiliar: PlaceKey
  readonly ip: PlaceKey | null
  /** All of the app, while it is being tried out. */
  readonly trial: PlaceKey
  /** All of the app, while it learns. */
  readonly learning: PlaceKey
  readonly region: string
}

/** What a place is made from, and what is kept of it. */
export interface PlaceParts {
  /** The hidden name of the range of ten thousand numbers. */
  readonly range: string
  /** The two digits that name the range of a hundred within it. */
  readonly hundred: string
  /** Region and first national digits: `GB:740`. */
  readonly carrier: string
  readonly ip: string | null
}

export interface PlacedNumber {
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
  { number, region, ipKey }: PlacedNumber,
  hideRange: (prefix: string) => string,
): Place {
  const national = number.slice(1 + getCountryCallingCode(region as CountryCode).length)
  const carrier = national.slice(0, national.length >= longNational ? 3 : 2)
  const prefix = number.slice(0, -hiddenDigits)
  const parts = {
    range: hideRange(prefix),
    hundred: number.slice(-hiddenDigits, -hiddenDigits + 2),
    carrier: `${region}:${carrier}`,
    ip: ipKey,
  }
  return placeFrom(parts, `${prefix}${'x'.repeat(hiddenDigits)}`)
}

const keyOf = (level: Level, row: string, part: string, label: string): PlaceKey => ({
  level,
  row,
  part,
  name: `${row}/${part}`,
  label,
})

const unfamiliar = keyOf('unfamiliar', 'unfamiliar', '', 'unfamiliar carriers')
const trial = keyOf('trial', 'trial', '', 'trial')
/** Stands in the row of the trial, without a label, since it is never closed. */
const learning = keyOf('learning', 'trial', 'learning', '')

/** Made from the parts that are kept, its ranges have no label. */
export function placeFrom({ range, hundred, carrier, ip }: PlaceParts, label = ''): Place {
  const row = `range:${range}`
  const [region = ''] = carrier.split(':')
  return {
    ranges: [
      keyOf('r100', row, hundred, label),
      keyOf('r1k', row, hundred.slice(0, 1), label),
      keyOf('r10k', row, '', label),
    ],
    carrier: keyOf('carrier', `carrier:${carrier}`, '', carrier.replace(':', ' ')),
    country: keyOf('country', `country:${region}`, '', region),
    unfamiliar,
    ip: ip === null ? null : keyOf('ip', `ip:${ip}`, '', ip),
    trial,
    learning,
    region,
  }
}

export const rowsOf = ({ ranges, carrier, country, ip }: Place): string[] => [
  ...ranges.slice(0, 1).map((key) => key.row),
  carrier.row,
  country.row,
  unfamiliar.row,
  trial.row,
  ...(ip ? [ip.row] : []),
]

export const isSafe = (number: string, safePrefixes: readonly string[]) =>
  safePrefixes.some((prefix) => number.startsWith(prefix))
