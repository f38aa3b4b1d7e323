/** Where a number lies: in which blocks of numbers, with which carrier, in which country. */
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max'
import { blockLevels, type Level } from './levels.ts'

/** A key of the book: the row that holds it, and the part within the row. */
export interface PlaceKey {
  readonly level: Level
  readonly row: string
  readonly part: string
  /** What people are shown; never so much of a number that its last digits complete it. */
  readonly label: string
}

export interface Place {
  readonly blocks: readonly PlaceKey[]
  readonly carrier: PlaceKey
  readonly country: PlaceKey
  readonly unfamiliar: PlaceKey
  readonly ip: PlaceKey | null
  /** All of the app, while it is being tried out. */
  readonly trial: PlaceKey
  readonly region: string
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

/** `hideBlock` turns a block of numbers into a name that says nothing about them. */
export function placeOf(
  { number, region, ipKey }: PlacedNumber,
  hideBlock: (prefix: string) => string,
): Place {
  const national = number.slice(1 + getCountryCallingCode(region as CountryCode).length)
  const carrier = national.slice(0, national.length >= longNational ? 3 : 2)
  const prefix = number.slice(0, -hiddenDigits)
  const row = `block:${hideBlock(prefix)}`
  const inner = number.slice(-hiddenDigits)
  const parts = { b100: inner.slice(0, 2), b1k: inner.slice(0, 1), b10k: '' }
  return {
    blocks: blockLevels.map((level) => ({
      level,
      row,
      part: parts[level],
      label: `${prefix}${'x'.repeat(hiddenDigits)}`,
    })),
    carrier: {
      level: 'carrier',
      row: `carrier:${region}:${carrier}`,
      part: '',
      label: `${region} ${carrier}`,
    },
    country: { level: 'country', row: `country:${region}`, part: '', label: region },
    unfamiliar: { level: 'unfamiliar', row: 'unfamiliar', part: '', label: 'unfamiliar carriers' },
    ip: ipKey === null ? null : { level: 'ip', row: `ip:${ipKey}`, part: '', label: ipKey },
    trial: { level: 'trial', row: 'trial', part: '', label: 'trial' },
    region,
  }
}

export const isSafe = (number: string, safePrefixes: readonly string[]) =>
  safePrefixes.some((prefix) => number.startsWith(prefix))
