/** What is known of a recipient, as it is stored: fields of one text, without what would complete a number. */
import type { Acquaintance, Charge } from './acquaintance.ts'
import { parentsOf } from './charged-keys.ts'
import { chargedOnceMs, longestRecipientGapMs, trustMs } from './levels.ts'
import { tenThousandths } from './numbers-text.ts'
import { type PlaceKey, placeFrom } from './place.ts'

/** Stands in no address, and in no name of a carrier: the table that these come from has it between them. */
const between = '|'
/** The statement that reads the debts of approved people takes these fields of an open charge, counted from 1. */
export const openField = { range: 10, carrier: 12, issuer: 13, ip: 14 } as const
/** SQL for one of them; null where there is none. */
export const fieldOf = (text: string, field: keyof typeof openField) =>
  `nullif(split_part(${text}, '${between}', ${openField[field]}), '')`

const isBits = {
  trial: 1,
  home: 2,
  known: 4,
  scout: 8,
  /** The country is not charged, because its carrier stands out. */
  narrow: 16,
  /** Nor its prefix, because a small carrier stands out. */
  issuers: 32,
  apart: 64,
  laneIssuer: 128,
  laneCarrier: 256,
  laneCountry: 512,
} as const

export function encodeAcquaintance(acquaintance: Acquaintance): string {
  const { verifiedAtMs, unapproved, chargedAtMs, owed, sentAtMs, turnedAwayAtMs, reroutedAtMs, open } =
    acquaintance
  const own = `${verifiedAtMs}|${unapproved}|${chargedAtMs}|${tenThousandths(owed)}|${sentAtMs}|${turnedAwayAtMs}|${reroutedAtMs}`
  return open ? `${own}${between}${chargeText(open)}` : own
}

const nameIn = (key: PlaceKey | null | undefined) => (key ? key.row.slice(key.row.indexOf(':') + 1) : '')

function chargeText(charge: Charge): string {
  const { atMs, place } = charge
  const [hundred] = place.ranges
  const issuer = parentsOf(charge).issuer?.row ?? ''
  return `${atMs}|${bitsOf(charge)}|${nameIn(hundred)}|${hundred?.part ?? ''}|${nameIn(place.home.carrier)}|${issuer}|${nameIn(place.ip)}`
}

function bitsOf(charge: Charge): number {
  const { isKnown, isHome, isScout, isNarrow, isIssuers, isApart, isOnTrial, lanes } = charge
  const own =
    (isOnTrial ? isBits.trial : 0) +
    (isHome ? isBits.home : 0) +
    (isKnown ? isBits.known : 0) +
    (isScout ? isBits.scout : 0) +
    (isNarrow ? isBits.narrow : 0) +
    (isIssuers ? isBits.issuers : 0) +
    (isApart ? isBits.apart : 0)
  if (lanes.length === 0) return own
  const issuer = parentsOf(charge).issuer?.row
  const isLane = (isIt: (lane: PlaceKey) => boolean, bit: number) => (lanes.some(isIt) ? bit : 0)
  return (
    own +
    isLane(({ row }) => row === issuer, isBits.laneIssuer) +
    isLane(({ level, row }) => level.endsWith('carrier') && row !== issuer, isBits.laneCarrier) +
    isLane(({ level }) => level.endsWith('country'), isBits.laneCountry)
  )
}

export function decodeAcquaintance(appId: string, text: string): Acquaintance {
  const fields = text.split(between)
  const [verified, unapproved, charged, owed, sent, turnedAway, rerouted] = fields
  return {
    verifiedAtMs: Number(verified),
    unapproved: Number(unapproved),
    chargedAtMs: Number(charged),
    owed: Number(owed) / 10_000,
    sentAtMs: Number(sent),
    turnedAwayAtMs: Number(turnedAway),
    reroutedAtMs: Number(rerouted),
    open: fields.length > 7 ? chargeIn(appId, fields) : null,
  }
}

function chargeIn(appId: string, fields: readonly string[]): Charge {
  const [at, bits, range = '', hundred = '', carrier = '', issuer = '', ip = ''] = fields.slice(7)
  const place = placeFrom({ appId, range, hundred, carrier, issuer: issuer || null, ip: ip || null })
  const has = (bit: number) => (Number(bits) & bit) !== 0
  const [isKnown, isHome] = [has(isBits.known), has(isBits.home)]
  const parents = parentsOf({ place, isKnown, isHome })
  return {
    atMs: Number(at),
    place,
    isKnown,
    isHome,
    isScout: has(isBits.scout),
    isNarrow: has(isBits.narrow),
    isIssuers: has(isBits.issuers),
    isApart: has(isBits.apart),
    isOnTrial: has(isBits.trial),
    lanes: [
      ...(has(isBits.laneIssuer) && parents.issuer ? [parents.issuer] : []),
      ...(has(isBits.laneCarrier) ? [parents.carrier] : []),
      ...(has(isBits.laneCountry) ? [parents.country] : []),
    ],
  }
}

const dayMs = 86_400_000

/** The longest that a verification can still be approved after its last send is far below a day. */
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
