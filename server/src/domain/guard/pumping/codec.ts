/** Debts, fits and acquaintances as they are stored: by name, and without what would complete a number. */

import type { Acquaintance, Charge } from './acquaintance.ts'
import { isParent } from './barrier.ts'
import { parentsOf } from './charged-keys.ts'
import { type Debt, type Due, noDebt } from './debt.ts'
import { type Fit, noFit, type Tally } from './fit.ts'
import {
  chargedOnceMs,
  type Level,
  laneQuietMs,
  levelRules,
  longestRecipientGapMs,
  secondHalfAfterMs,
  strikesKeptMs,
  trustMs,
} from './levels.ts'
import { type PlaceKey, placeFrom } from './place.ts'

/** What is as in `noDebt` is undefined, and not written. */
export interface StoredDebt {
  readonly debt: number
  readonly at: number
  /** One text: to PostgreSQL every number of a list is a value of its own, and a busy carrier has hundreds. */
  readonly due?: string | undefined
  readonly numbers?: number | undefined
  readonly approved?: number | undefined
  readonly sent?: number | undefined
  readonly recent?: number | undefined
  readonly asked?: number | undefined
  readonly asked_at?: number | undefined
  readonly newcomers?: number | undefined
  readonly most_asked?: number | undefined
  readonly usual?: number | undefined
  readonly usual_approved?: number | undefined
  readonly blocked?: number | undefined
  readonly held?: number | undefined
  readonly lifted?: number | undefined
  readonly strikes?: number | undefined
  readonly struck?: number | undefined
  readonly limit?: number | undefined
  readonly threshold?: number | undefined
  /** 1 where approvals were missing. */
  readonly missing?: number | undefined
  readonly scout?: number | undefined
  readonly scout_gap?: number | undefined
  readonly lane?: number | undefined
  readonly lane_at?: number | undefined
  readonly since?: number | undefined
  readonly delay?: number | undefined
}

/** To a ten-thousandth: exact enough for whatever is compared with it. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000
const unlessNone = (value: number, none = 0) => (rounded(value) === none ? undefined : rounded(value))

/** Field by field, here and when it is read: each send has several, and objects of one shape are what is quick. */
export function encodeDebt(level: Level, debt: Debt): StoredDebt {
  // What only carriers and countries need.
  const isWide = isParent(level) || level === 'unfamiliar' || level === 'issuer'
  return {
    debt: rounded(debt.debt),
    at: debt.atMs,
    due: debt.due.length > 0 ? encodeDue(debt.due) : undefined,
    numbers: unlessNone(debt.numbers),
    approved: unlessNone(debt.approved),
    sent: isWide ? unlessNone(debt.sent) : undefined,
    recent: isWide ? unlessNone(debt.recent) : undefined,
    asked: unlessNone(debt.asked),
    asked_at: unlessNone(debt.askedAtMs),
    newcomers: isWide ? unlessNone(debt.newcomers) : undefined,
    most_asked: isWide ? unlessNone(debt.mostAsked) : undefined,
    usual: isWide ? unlessNone(debt.usualNumbers) : undefined,
    usual_approved: isWide ? unlessNone(debt.usualApproved) : undefined,
    blocked: unlessNone(debt.blockedUntilMs),
    held: unlessNone(debt.heldUntilMs),
    lifted: unlessNone(debt.liftedUntilMs),
    strikes: unlessNone(debt.strikes),
    struck: unlessNone(debt.struckAtMs),
    limit: unlessNone(debt.limit),
    threshold: unlessNone(debt.threshold),
    missing: debt.isForMissing ? 1 : undefined,
    scout: unlessNone(debt.scoutAtMs),
    scout_gap: unlessNone(debt.scoutGapMs),
    lane: isWide ? unlessNone(debt.laneDebt) : undefined,
    lane_at: isWide ? unlessNone(debt.laneAtMs) : undefined,
    since: isWide ? unlessNone(debt.sinceMs) : undefined,
    delay: isWide ? unlessNone(debt.delayMs, noDebt.delayMs) : undefined,
  }
}

/** `slot,unapproved,sent,points` of each, with slots counted from the one before. */
function encodeDue(due: Due): string {
  let text = ''
  let before = 0
  for (const [slot, unapproved, sent, points] of due) {
    text += `${text === '' ? '' : ' '}${slot - before},${unapproved},${sent},${rounded(points)}`
    before = slot
  }
  return text
}

function decodeDue(text: string): Due {
  let slot = 0
  return text.split(' ').map((entry) => {
    const [after = 0, unapproved = 0, sent = 0, points = 0] = entry.split(',').map(Number)
    slot += after
    return [slot, unapproved, sent, points] as const
  })
}

export const decodeDebt = (stored: StoredDebt): Debt => ({
  debt: stored.debt,
  atMs: stored.at,
  due: stored.due === undefined ? noDebt.due : decodeDue(stored.due),
  numbers: stored.numbers ?? 0,
  approved: stored.approved ?? 0,
  sent: stored.sent ?? 0,
  recent: stored.recent ?? 0,
  asked: stored.asked ?? 0,
  askedAtMs: stored.asked_at ?? 0,
  newcomers: stored.newcomers ?? 0,
  mostAsked: stored.most_asked ?? 0,
  usualNumbers: stored.usual ?? 0,
  usualApproved: stored.usual_approved ?? 0,
  blockedUntilMs: stored.blocked ?? 0,
  heldUntilMs: stored.held ?? 0,
  liftedUntilMs: stored.lifted ?? 0,
  strikes: stored.strikes ?? 0,
  struckAtMs: stored.struck ?? 0,
  limit: stored.limit ?? 0,
  threshold: stored.threshold ?? 0,
  isForMissing: stored.missing === 1,
  scoutAtMs: stored.scout ?? 0,
  scoutGapMs: stored.scout_gap ?? 0,
  laneDebt: stored.lane ?? 0,
  laneAtMs: stored.lane_at ?? 0,
  sinceMs: stored.since ?? 0,
  delayMs: stored.delay ?? noDebt.delayMs,
})

type StoredTally = readonly [numbers: number, approved: number]

export interface StoredFit {
  readonly at: number
  readonly since: number
  readonly strangers: StoredTally
  readonly known: StoredTally
  readonly countries: Readonly<Record<string, readonly [numbers: number, approved: number, since: number]>>
  readonly pending: Fit['pending']
  readonly asked: number
  readonly sent: number
  readonly recent: number
  readonly scouts: StoredTally
  readonly learnt?: number
  readonly misfit?: number
}

const encodeTally = ({ numbers, approved }: Tally): StoredTally => [rounded(numbers), rounded(approved)]
const decodeTally = ([numbers, approved]: StoredTally): Tally => ({ numbers, approved })
/** A country of which less is left has been forgotten. */
const negligibleNumbers = 0.01

export const encodeFit = (fit: Fit): StoredFit => ({
  at: fit.atMs,
  since: fit.sinceMs,
  strangers: encodeTally(fit.strangers),
  known: encodeTally(fit.known),
  countries: Object.fromEntries(
    [...fit.countries].flatMap(([region, tally]) =>
      tally.numbers + tally.approved < negligibleNumbers
        ? []
        : [[region, [...encodeTally(tally), tally.sinceMs]]],
    ),
  ),
  pending: fit.pending,
  asked: rounded(fit.asked),
  sent: rounded(fit.sent),
  recent: rounded(fit.recent),
  scouts: encodeTally(fit.scouts),
  ...(fit.learntAtMs > 0 && { learnt: fit.learntAtMs }),
  ...(fit.misfitAtMs > 0 && { misfit: fit.misfitAtMs }),
})

export const decodeFit = (stored: StoredFit): Fit => ({
  ...noFit,
  atMs: stored.at,
  sinceMs: stored.since,
  strangers: decodeTally(stored.strangers),
  known: decodeTally(stored.known),
  countries: new Map(
    Object.entries(stored.countries).map(([region, [numbers, approved, sinceMs]]) => [
      region,
      { numbers, approved, sinceMs },
    ]),
  ),
  pending: stored.pending,
  asked: stored.asked,
  sent: stored.sent,
  recent: stored.recent,
  scouts: decodeTally(stored.scouts),
  learntAtMs: stored.learnt ?? 0,
  misfitAtMs: stored.misfit ?? 0,
})

/** The statement that reads the debts of approved people knows the `range`, `carrier` and `ip` of what is open. */
export interface StoredAcquaintance {
  readonly verified?: number | undefined
  readonly unapproved?: number | undefined
  readonly charged?: number | undefined
  readonly owed?: number | undefined
  readonly sent?: number | undefined
  readonly turned_away?: number | undefined
  readonly rerouted?: number | undefined
  readonly open?: StoredCharge | undefined
}

interface StoredCharge {
  readonly at: number
  readonly range: string
  readonly hundred: string
  readonly carrier: string
  readonly issuer?: string | undefined
  readonly ip?: string | undefined
  /** What only some sends are charged to, or are. */
  readonly also?: readonly Also[]
}

const alsos = [
  'trial',
  'unfamiliar',
  'home',
  'known',
  'scout',
  /** The country is not charged, because its carrier stands out. */
  'narrow',
  /** Nor its prefix, because a small carrier stands out. */
  'issuers',
  'apart',
  'lane_issuer',
  'lane_carrier',
  'lane_country',
] as const
type Also = (typeof alsos)[number]

export const encodeAcquaintance = (acquaintance: Acquaintance): StoredAcquaintance => ({
  verified: unlessNone(acquaintance.verifiedAtMs),
  unapproved: unlessNone(acquaintance.unapproved),
  charged: unlessNone(acquaintance.chargedAtMs),
  owed: unlessNone(acquaintance.owed),
  sent: unlessNone(acquaintance.sentAtMs),
  turned_away: unlessNone(acquaintance.turnedAwayAtMs),
  rerouted: unlessNone(acquaintance.reroutedAtMs),
  open: acquaintance.open ? encodeCharge(acquaintance.open) : undefined,
})

function encodeCharge(charge: Charge): StoredCharge {
  const { atMs, place, isKnown, isHome, isScout, isNarrow, isApart, isOnTrial, lanes } = charge
  const { issuer } = parentsOf(charge)
  const nameIn = (key: PlaceKey | undefined) => key?.row.slice(key.row.indexOf(':') + 1) ?? ''
  const [hundred] = place.ranges
  const is: Readonly<Record<Also, boolean>> = {
    trial: isOnTrial,
    unfamiliar: !isKnown && !isHome,
    home: isHome,
    known: isKnown,
    scout: isScout,
    narrow: isNarrow,
    issuers: charge.isIssuers,
    apart: isApart,
    lane_issuer: lanes.some(({ row }) => row === issuer?.row),
    lane_carrier: lanes.some(({ level, row }) => level.endsWith('carrier') && row !== issuer?.row),
    lane_country: lanes.some(({ level }) => level.endsWith('country')),
  }
  return {
    at: atMs,
    range: nameIn(hundred),
    hundred: hundred?.part ?? '',
    carrier: nameIn(place.home.carrier),
    issuer: issuer?.row,
    ip: place.ip ? nameIn(place.ip) : undefined,
    also: alsos.filter((also) => is[also]),
  }
}

export const decodeAcquaintance = (appId: string, stored: StoredAcquaintance): Acquaintance => ({
  verifiedAtMs: stored.verified ?? 0,
  unapproved: stored.unapproved ?? 0,
  chargedAtMs: stored.charged ?? 0,
  owed: stored.owed ?? 0,
  sentAtMs: stored.sent ?? 0,
  turnedAwayAtMs: stored.turned_away ?? 0,
  reroutedAtMs: stored.rerouted ?? 0,
  open: stored.open ? decodeCharge(appId, stored.open) : null,
})

function decodeCharge(appId: string, stored: StoredCharge): Charge {
  const { at, range, hundred, carrier, issuer = null, ip = null, also = [] } = stored
  const place = placeFrom({ appId, range, hundred, carrier, issuer, ip })
  const isKnown = also.includes('known')
  const isHome = also.includes('home')
  const parents = parentsOf({ place, isKnown, isHome })
  return {
    atMs: at,
    place,
    isKnown,
    isHome,
    isScout: also.includes('scout'),
    isNarrow: also.includes('narrow'),
    isIssuers: also.includes('issuers'),
    isApart: also.includes('apart'),
    isOnTrial: also.includes('trial'),
    lanes: [
      ...(also.includes('lane_issuer') && parents.issuer ? [parents.issuer] : []),
      ...(also.includes('lane_carrier') ? [parents.carrier] : []),
      ...(also.includes('lane_country') ? [parents.country] : []),
    ],
  }
}

const dayMs = 86_400_000
const familiarKeptMs = 120 * dayMs
/** A company is tried out once, and what is normal for an app stays known. */
const keptForeverMs = 3_650 * dayMs
const negligible = 0.25

/** When a debt no longer says anything. */
export function debtOverMs(level: Level, debt: Debt): number {
  if (level === 'trial') return debt.atMs + keptForeverMs
  const size = Math.abs(debt.debt) + debt.due.reduce((sum, [, count]) => sum + count, 0)
  const decayMs = levelRules[level].halfLifeMs * Math.max(0, Math.log2(size / negligible))
  const isUsual = (isParent(level) || level === 'issuer') && debt.usualApproved >= 1
  return Math.max(
    debt.atMs + secondHalfAfterMs + decayMs,
    debt.askedAtMs + laneQuietMs,
    debt.blockedUntilMs,
    debt.heldUntilMs,
    debt.liftedUntilMs,
    debt.strikes > 0 ? debt.struckAtMs + strikesKeptMs : 0,
    isUsual ? debt.atMs + familiarKeptMs : 0,
  )
}

export const fitOverMs = ({ atMs }: Fit): number => atMs + keptForeverMs

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
