/** Debts and people as they are stored: short, and without what would complete a number. */
import { type Debt, noDebt } from './debt.ts'
import { type Level, levelRules, repeatMs, secondHalfAfterMs, strikesKeptMs, trustMs } from './levels.ts'
import type { Charge, Person } from './person.ts'
import { type PlaceKey, placeFrom } from './place.ts'

/** In the order of `fieldsOf`; what is left out at the end is as in `noDebt`. */
export type StoredDebt = readonly [debt: number, atMs: number, due?: Debt['due'], ...rest: number[]]

/** To a ten-thousandth: exact enough for whatever is compared with it. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

/** What is usual matters for carriers and countries, and for all that is unfamiliar; when an app began to learn, for that. */
const hasUsual = (level: Level) =>
  level === 'carrier' || level === 'country' || level === 'unfamiliar' || level === 'learning'

export function encodeDebt(level: Level, debt: Debt): StoredDebt {
  const isKept = hasUsual(level)
  const rest = [
    debt.numbers,
    debt.approved,
    isKept ? rounded(debt.recent) : 0,
    isKept ? rounded(debt.usualNumbers) : 0,
    isKept ? rounded(debt.usualApproved) : 0,
    debt.blockedUntilMs,
    debt.heldUntilMs,
    debt.strikes,
    debt.struckAtMs,
    debt.probeAtMs,
    debt.probeGapMs,
    isKept ? debt.sinceMs : 0,
    isKept ? Math.round(debt.delayMs) : 0,
    isKept ? rounded(debt.asked) : 0,
  ]
  while (rest.at(-1) === 0) rest.pop()
  return [rounded(debt.debt), debt.atMs, debt.due, ...rest]
}

export function decodeDebt([debt, atMs, due = [], ...rest]: StoredDebt): Debt {
  const at = (index: number) => rest[index] ?? 0
  return {
    debt,
    atMs,
    due,
    numbers: at(0),
    approved: at(1),
    recent: at(2),
    usualNumbers: at(3),
    usualApproved: at(4),
    blockedUntilMs: at(5),
    heldUntilMs: at(6),
    strikes: at(7),
    struckAtMs: at(8),
    probeAtMs: at(9),
    probeGapMs: at(10),
    sinceMs: at(11),
    delayMs: at(12) || noDebt.delayMs,
    asked: at(13),
  }
}

/** The statement that reads the debts of approved people knows the places of `block`, `carrier` and `ip`. */
export type StoredPerson = readonly [
  verified: number,
  unapproved: number,
  charged: number,
  repeats: number,
  openAt?: number,
  block?: string,
  hundred?: string,
  carrier?: string,
  also?: number,
  ip?: string | null,
]

const alsoUnfamiliar = 1
const alsoTrial = 2
const alsoLearning = 4

export function encodePerson(person: Person): StoredPerson {
  const { verifiedAtMs, unapproved, chargedAtMs, repeats, open } = person
  const kept = [verifiedAtMs, unapproved, chargedAtMs, repeats] as const
  if (!open) return kept
  const find = (level: Level) => open.keys.find((key) => key.level === level)
  const nameIn = (key: PlaceKey | undefined) => key?.row.slice(key.row.indexOf(':') + 1) ?? ''
  const hundred = find('b100')
  const ip = find('ip')
  const also =
    (find('unfamiliar') ? alsoUnfamiliar : 0) +
    (find('trial') ? alsoTrial : 0) +
    (find('learning') ? alsoLearning : 0)
  return [
    ...kept,
    open.atMs,
    nameIn(hundred),
    hundred?.part ?? '',
    nameIn(find('carrier')),
    also,
    ip ? nameIn(ip) : null,
  ]
}

export function decodePerson(stored: StoredPerson): Person {
  const [verifiedAtMs, unapproved, chargedAtMs, repeats] = stored
  return { verifiedAtMs, unapproved, chargedAtMs, repeats, open: chargeIn(stored) }
}

function chargeIn([, , , , atMs, block, hundred, carrier, also = 0, ip = null]: StoredPerson): Charge | null {
  if (atMs === undefined || block === undefined || hundred === undefined || carrier === undefined) return null
  const place = placeFrom({ block, hundred, carrier, ip })
  return {
    atMs,
    keys: [
      ...(also & alsoTrial ? [place.trial] : []),
      ...(also & alsoLearning ? [place.learning] : []),
      ...(place.ip ? [place.ip] : []),
      ...place.blocks,
      place.carrier,
      place.country,
      ...(also & alsoUnfamiliar ? [place.unfamiliar] : []),
    ],
  }
}

const dayMs = 86_400_000
const familiarKeptMs = 120 * dayMs
/** An app is tried out once. */
const trialKeptMs = 3_650 * dayMs
const negligible = 0.25

/** When a debt no longer says anything. */
export function debtOverMs(level: Level, debt: Debt): number {
  if (level === 'trial' || level === 'learning') return debt.atMs + trialKeptMs
  const size = Math.abs(debt.debt) + debt.due.reduce((sum, [, count]) => sum + count, 0)
  const decayMs = levelRules[level].halfLifeMs * Math.max(0, Math.log2(size / negligible))
  const isUsual = (level === 'carrier' || level === 'country') && debt.usualApproved >= 1
  return Math.max(
    debt.atMs + secondHalfAfterMs + decayMs,
    debt.blockedUntilMs,
    debt.heldUntilMs,
    debt.strikes > 0 ? debt.struckAtMs + strikesKeptMs : 0,
    isUsual ? debt.atMs + familiarKeptMs : 0,
  )
}

/** The longest that a verification can still be approved after its last send is far below a day. */
export const personOverMs = (person: Person, nowMs: number): number =>
  Math.max(person.verifiedAtMs + trustMs, nowMs + dayMs, person.chargedAtMs + repeatMs)
