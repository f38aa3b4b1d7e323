/**
 * What is known of a recipient, in the form in which it is stored: numbers, each after its letter, then the texts of an
 * open charge's place, each after `|` and its letter. The digits that would complete the phone number are left out.
 */
import type { Acquaintance, Charge } from '../acquaintance/acquaintance.ts'
import { parentsOf } from '../acquaintance/charged-keys.ts'
import { chargedOnceMs, longestRecipientGapMs, trustMs } from '../levels.ts'
import { type PlaceKey, type PlaceParts, placeFrom } from '../place.ts'
import { fraction, read, readFlag, readNumbers, scalesOf, whole, write, writeFlag } from './numbers-text.ts'

/** All letters. A letter that is no longer used is not given to another field, since stored rows may still have it. */
export const ownKeys = {
  verifiedAtMs: whole('v'),
  unapproved: whole('u'),
  chargedAtMs: whole('c'),
  owed: fraction('o'),
  sentAtMs: whole('s'),
  turnedAwayAtMs: whole('w'),
  reroutedAtMs: whole('r'),
} as const

/** The letters of the open charge. */
export const chargeKeys = {
  atMs: whole('t'),
  isOnTrial: whole('T'),
  isHome: whole('H'),
  isKnown: whole('K'),
  isScout: whole('S'),
  isNarrow: whole('W'),
  isSmallCarrier: whole('I'),
  isApart: whole('A'),
  isLaneOfIssuer: whole('i'),
  isLaneOfCarrier: whole('p'),
  isLaneOfCountry: whole('l'),
  isSimulated: whole('M'),
} as const

/** A separator that occurs in no address and in no carrier's name; the table of carriers uses it too. */
const mark = '|'
/** The keys of the open charge's place. Each begins with the separator, so that no text can be mistaken for a key. */
export const textKeys = { range: '|r', hundred: '|h', carrier: '|c', issuer: '|i', ip: '|a' } as const
type TextKey = (typeof textKeys)[keyof typeof textKeys]

const scales = scalesOf(ownKeys, chargeKeys)

/** SQL that reads the text with this key; null if there is none. */
export const textIn = (acquaintance: string, key: TextKey) =>
  `nullif(split_part(split_part(${acquaintance}, '${key}', 2), '${mark}', 1), '')`

export function encodeAcquaintance(acquaintance: Acquaintance): string {
  const { verifiedAtMs, unapproved, chargedAtMs, owed, sentAtMs, turnedAwayAtMs, reroutedAtMs, open } =
    acquaintance
  const own =
    write(ownKeys.verifiedAtMs, verifiedAtMs) +
    write(ownKeys.unapproved, unapproved) +
    write(ownKeys.chargedAtMs, chargedAtMs) +
    write(ownKeys.owed, owed) +
    write(ownKeys.sentAtMs, sentAtMs) +
    write(ownKeys.turnedAwayAtMs, turnedAwayAtMs) +
    write(ownKeys.reroutedAtMs, reroutedAtMs)
  return open ? own + chargeText(open) + placeText(open) : own
}

function chargeText(charge: Charge): string {
  const { atMs, isKnown, isHome, isScout, isNarrow, isSmallCarrier, isApart, isOnTrial, isSimulated, lanes } =
    charge
  return (
    write(chargeKeys.atMs, atMs) +
    writeFlag(chargeKeys.isOnTrial, isOnTrial) +
    writeFlag(chargeKeys.isHome, isHome) +
    writeFlag(chargeKeys.isKnown, isKnown) +
    writeFlag(chargeKeys.isScout, isScout) +
    writeFlag(chargeKeys.isNarrow, isNarrow) +
    writeFlag(chargeKeys.isSmallCarrier, isSmallCarrier) +
    writeFlag(chargeKeys.isApart, isApart) +
    writeFlag(chargeKeys.isSimulated, isSimulated) +
    (lanes.length > 0 ? lanesText(charge) : '')
  )
}

function lanesText(charge: Charge): string {
  const issuer = parentsOf(charge).issuer?.row
  const has = (isIt: (lane: PlaceKey) => boolean) => charge.lanes.some(isIt)
  return (
    writeFlag(
      chargeKeys.isLaneOfIssuer,
      has(({ row }) => row === issuer),
    ) +
    writeFlag(
      chargeKeys.isLaneOfCarrier,
      has(({ level, row }) => level.endsWith('carrier') && row !== issuer),
    ) +
    writeFlag(
      chargeKeys.isLaneOfCountry,
      has(({ level }) => level.endsWith('country')),
    )
  )
}

function placeText(charge: Charge): string {
  const { place } = charge
  const [hundred] = place.ranges
  return (
    writeText(textKeys.range, nameIn(hundred)) +
    writeText(textKeys.hundred, hundred?.part) +
    writeText(textKeys.carrier, nameIn(place.home.carrier)) +
    writeText(textKeys.issuer, parentsOf(charge).issuer?.row) +
    writeText(textKeys.ip, nameIn(place.ip))
  )
}

const nameIn = (key: PlaceKey | null | undefined) => key?.row.slice(key.row.indexOf(':') + 1)
const writeText = (key: TextKey, text = '') => (text === '' ? '' : key + text)

function readText(text: string, key: TextKey): string | null {
  const at = text.indexOf(key)
  if (at < 0) return null
  const from = at + key.length
  const end = text.indexOf(mark, from)
  return text.slice(from, end < 0 ? text.length : end)
}

export function decodeAcquaintance(appId: string, text: string): Acquaintance {
  const end = text.indexOf(mark)
  readNumbers(text, end < 0 ? text.length : end, scales)
  return {
    verifiedAtMs: read(ownKeys.verifiedAtMs),
    unapproved: read(ownKeys.unapproved),
    chargedAtMs: read(ownKeys.chargedAtMs),
    owed: read(ownKeys.owed),
    sentAtMs: read(ownKeys.sentAtMs),
    turnedAwayAtMs: read(ownKeys.turnedAwayAtMs),
    reroutedAtMs: read(ownKeys.reroutedAtMs),
    // An open charge always has a place, and so a separator.
    open: end < 0 ? null : chargeIn(placePartsIn(appId, text)),
  }
}

const placePartsIn = (appId: string, text: string): PlaceParts => ({
  appId,
  range: readText(text, textKeys.range) ?? '',
  hundred: readText(text, textKeys.hundred) ?? '',
  carrier: readText(text, textKeys.carrier) ?? '',
  issuer: readText(text, textKeys.issuer),
  ip: readText(text, textKeys.ip),
})

/** Must be called after `readNumbers`, since it uses the numbers that were read. */
function chargeIn(parts: PlaceParts): Charge {
  const place = placeFrom(parts)
  const [isKnown, isHome] = [readFlag(chargeKeys.isKnown), readFlag(chargeKeys.isHome)]
  const parents = parentsOf({ place, isKnown, isHome })
  return {
    atMs: read(chargeKeys.atMs),
    place,
    isKnown,
    isHome,
    isScout: readFlag(chargeKeys.isScout),
    isNarrow: readFlag(chargeKeys.isNarrow),
    isSmallCarrier: readFlag(chargeKeys.isSmallCarrier),
    isApart: readFlag(chargeKeys.isApart),
    isOnTrial: readFlag(chargeKeys.isOnTrial),
    isSimulated: readFlag(chargeKeys.isSimulated),
    lanes: [
      ...(readFlag(chargeKeys.isLaneOfIssuer) && parents.issuer ? [parents.issuer] : []),
      ...(readFlag(chargeKeys.isLaneOfCarrier) ? [parents.carrier] : []),
      ...(readFlag(chargeKeys.isLaneOfCountry) ? [parents.country] : []),
    ],
  }
}

const dayMs = 86_400_000

/**
 * When an acquaintance can be forgotten: a day from now at the earliest, since a verification can no longer be approved
 * so long after its last send.
 */
export const acquaintanceOverMs = (
  { verifiedAtMs, chargedAtMs, sentAtMs }: Acquaintance,
  nowMs: number,
): number =>
  Math.max(
    verifiedAtMs + trustMs,
    nowMs + dayMs,
    chargedAtMs + chargedOnceMs,
    sentAtMs + longestRecipientGapMs,
  )
