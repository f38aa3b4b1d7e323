/** Debts and people as they are stored: short, exact, and without any digit of a number. */
import type { Debt } from './debt.ts'
import { type Level, levelRules, repeatMs, secondHalfAfterMs, strikesKeptMs, trustMs } from './levels.ts'
import type { Person } from './person.ts'

/** In the order of `Debt`. */
export type StoredDebt = readonly [
  debt: number,
  atMs: number,
  due: Debt['due'],
  numbers: number,
  approved: number,
  recent: number,
  usualNumbers: number,
  usualApproved: number,
  blockedUntilMs: number,
  heldUntilMs: number,
  strikes: number,
  struckAtMs: number,
  probeAtMs: number,
  probeGapMs: number,
  sinceMs: number,
  delayMs: number,
  asked: number,
]

export const encodeDebt = (debt: Debt): StoredDebt => [
  debt.debt,
  debt.atMs,
  debt.due,
  debt.numbers,
  debt.approved,
  debt.recent,
  debt.usualNumbers,
  debt.usualApproved,
  debt.blockedUntilMs,
  debt.heldUntilMs,
  debt.strikes,
  debt.struckAtMs,
  debt.probeAtMs,
  debt.probeGapMs,
  debt.sinceMs,
  debt.delayMs,
  debt.asked,
]

export const decodeDebt = (stored: StoredDebt): Debt => ({
  debt: stored[0],
  atMs: stored[1],
  due: stored[2],
  numbers: stored[3],
  approved: stored[4],
  recent: stored[5],
  usualNumbers: stored[6],
  usualApproved: stored[7],
  blockedUntilMs: stored[8],
  heldUntilMs: stored[9],
  strikes: stored[10],
  struckAtMs: stored[11],
  probeAtMs: stored[12],
  probeGapMs: stored[13],
  sinceMs: stored[14],
  delayMs: stored[15],
  asked: stored[16],
})

export interface StoredPerson {
  readonly verified: number
  readonly unapproved: number
  readonly charged: number
  readonly repeats: number
  readonly open: { readonly at: number; readonly keys: readonly (readonly [Level, string, string])[] } | null
}

export const encodePerson = (person: Person): StoredPerson => ({
  verified: person.verifiedAtMs,
  unapproved: person.unapproved,
  charged: person.chargedAtMs,
  repeats: person.repeats,
  open: person.open && {
    at: person.open.atMs,
    keys: person.open.keys.map(({ level, row, part }) => [level, row, part]),
  },
})

export const decodePerson = (stored: StoredPerson): Person => ({
  verifiedAtMs: stored.verified,
  unapproved: stored.unapproved,
  chargedAtMs: stored.charged,
  repeats: stored.repeats,
  open: stored.open && {
    atMs: stored.open.at,
    keys: stored.open.keys.map(([level, row, part]) => ({ level, row, part, label: '' })),
  },
})

const dayMs = 86_400_000
const familiarKeptMs = 120 * dayMs
/** An app is tried out once. */
const trialKeptMs = 3_650 * dayMs
const negligible = 0.25

/** When a debt no longer says anything. */
export function debtOverMs(level: Level, debt: Debt): number {
  if (level === 'trial') return debt.atMs + trialKeptMs
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
