/** Debts and acquaintances as they are stored: by name, and without what would complete a number. */

import type { Acquaintance, Charge } from './acquaintance.ts'
import { type Debt, noDebt } from './debt.ts'
import { type Level, levelRules, repeatMs, secondHalfAfterMs, strikesKeptMs, trustMs } from './levels.ts'
import { type PlaceKey, placeFrom } from './place.ts'

/** Fields that are as in `noDebt` are left out. */
export interface StoredDebt {
  readonly debt: number
  readonly at: number
  readonly due?: Debt['due']
  readonly numbers?: number
  readonly approved?: number
  readonly recent?: number
  readonly asked?: number
  readonly usual?: number
  readonly usual_approved?: number
  readonly blocked?: number
  readonly held?: number
  readonly strikes?: number
  readonly struck?: number
  readonly scout?: number
  readonly scout_gap?: number
  readonly since?: number
  readonly delay?: number
}

/** To a ten-thousandth: exact enough for whatever is compared with it. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

/**
 * Usual conversion is kept for carriers, countries and all that is unfamiliar; for learning, when it began.
 */
const hasUsual = (level: Level) =>
  level === 'carrier' || level === 'country' || level === 'unfamiliar' || level === 'learning'

export function encodeDebt(level: Level, debt: Debt): StoredDebt {
  const usual = hasUsual(level) && {
    ...unlessZero('recent', rounded(debt.recent)),
    ...unlessZero('asked', rounded(debt.asked)),
    ...unlessZero('usual', rounded(debt.usualNumbers)),
    ...unlessZero('usual_approved', rounded(debt.usualApproved)),
    ...unlessZero('since', debt.sinceMs),
    ...unlessZero('delay', Math.round(debt.delayMs)),
  }
  return {
    debt: rounded(debt.debt),
    at: debt.atMs,
    ...(debt.due.length > 0 && { due: debt.due }),
    ...unlessZero('numbers', debt.numbers),
    ...unlessZero('approved', debt.approved),
    ...unlessZero('blocked', debt.blockedUntilMs),
    ...unlessZero('held', debt.heldUntilMs),
    ...unlessZero('strikes', debt.strikes),
    ...unlessZero('struck', debt.struckAtMs),
    ...unlessZero('scout', debt.scoutAtMs),
    ...unlessZero('scout_gap', debt.scoutGapMs),
    ...usual,
  }
}

const unlessZero = (key: keyof StoredDebt | keyof StoredAcquaintance, value: number) =>
  value === 0 ? null : { [key]: value }

export const decodeDebt = (stored: StoredDebt): Debt => ({
  debt: stored.debt,
  atMs: stored.at,
  due: stored.due ?? noDebt.due,
  numbers: stored.numbers ?? 0,
  approved: stored.approved ?? 0,
  recent: stored.recent ?? 0,
  asked: stored.asked ?? 0,
  usualNumbers: stored.usual ?? 0,
  usualApproved: stored.usual_approved ?? 0,
  blockedUntilMs: stored.blocked ?? 0,
  heldUntilMs: stored.held ?? 0,
  strikes: stored.strikes ?? 0,
  struckAtMs: stored.struck ?? 0,
  scoutAtMs: stored.scout ?? 0,
  scoutGapMs: stored.scout_gap ?? 0,
  sinceMs: stored.since ?? 0,
  delayMs: stored.delay ?? noDebt.delayMs,
})

/** The statement that reads the debts of approved people knows the `range`, `carrier` and `ip` of what is open. */
export interface StoredAcquaintance {
  readonly verified?: number
  readonly unapproved?: number
  readonly charged?: number
  readonly repeats?: number
  readonly open?: StoredCharge
}

interface StoredCharge {
  readonly at: number
  readonly range: string
  readonly hundred: string
  readonly carrier: string
  readonly ip?: string
  readonly also?: readonly AlsoCharged[]
}

/** Keys that only some sends are charged to, so each charge names them. */
const alsoCharged = ['trial', 'learning', 'unfamiliar'] as const
type AlsoCharged = (typeof alsoCharged)[number]

export function encodeAcquaintance({
  verifiedAtMs,
  unapproved,
  chargedAtMs,
  repeats,
  open,
}: Acquaintance): StoredAcquaintance {
  return {
    ...unlessZero('verified', verifiedAtMs),
    ...unlessZero('unapproved', unapproved),
    ...unlessZero('charged', chargedAtMs),
    ...unlessZero('repeats', repeats),
    ...(open && { open: encodeCharge(open) }),
  }
}

function encodeCharge({ atMs, keys }: Charge): StoredCharge {
  const find = (level: Level) => keys.find((key) => key.level === level)
  const nameIn = (key: PlaceKey | undefined) => key?.row.slice(key.row.indexOf(':') + 1) ?? ''
  const hundred = find('r100')
  const ip = find('ip')
  const also = alsoCharged.filter(find)
  return {
    at: atMs,
    range: nameIn(hundred),
    hundred: hundred?.part ?? '',
    carrier: nameIn(find('carrier')),
    ...(ip && { ip: nameIn(ip) }),
    ...(also.length > 0 && { also }),
  }
}

export const decodeAcquaintance = (stored: StoredAcquaintance): Acquaintance => ({
  verifiedAtMs: stored.verified ?? 0,
  unapproved: stored.unapproved ?? 0,
  chargedAtMs: stored.charged ?? 0,
  repeats: stored.repeats ?? 0,
  open: stored.open ? decodeCharge(stored.open) : null,
})

function decodeCharge({ at, range, hundred, carrier, ip, also = [] }: StoredCharge): Charge {
  const place = placeFrom({ range, hundred, carrier, ip: ip ?? null })
  return {
    atMs: at,
    keys: [
      ...(also.includes('trial') ? [place.trial] : []),
      ...(also.includes('learning') ? [place.learning] : []),
      ...(place.ip ? [place.ip] : []),
      ...place.ranges,
      place.carrier,
      place.country,
      ...(also.includes('unfamiliar') ? [place.unfamiliar] : []),
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
export const acquaintanceOverMs = ({ verifiedAtMs, chargedAtMs }: Acquaintance, nowMs: number): number =>
  Math.max(verifiedAtMs + trustMs, nowMs + dayMs, chargedAtMs + repeatMs)
