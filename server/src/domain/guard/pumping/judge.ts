/** May a paid message go to this number? Judged on debts in memory; the caller has locked what they came from. */
import { type Barrier, freeAtMs, isParent, isReformed, raise, standing, takeProbe } from './barrier.ts'
import type { Book } from './book.ts'
import { charge, type Debt, giveBack } from './debt.ts'
import {
  establishedAfterMs,
  establishedApprovals,
  familiarApprovals,
  flaggedIpBlock,
  type Level,
  levelRules,
  probationMs,
  probationShare,
  shortestProbeGapMs,
  slackPerApproval,
} from './levels.ts'
import type { Place, PlaceKey } from './place.ts'

export interface Circumstances {
  readonly isFlagged: boolean
  readonly declaredCountries: readonly string[]
  readonly nowMs: number
}

export interface Stop {
  readonly by: PlaceKey
  readonly state: Debt
  readonly isHold: boolean
  readonly untilMs: number
}

export interface Verdict {
  /** Null: the message may go. */
  readonly stop: Stop | null
  /** What the send is charged to, once it goes. */
  readonly keys: readonly PlaceKey[]
  /** Where it passes as a probe. */
  readonly probes: readonly PlaceKey[]
  readonly circumstances: Circumstances
}

/** What a send is held to, from the address and the smallest block to the widest. */
function keysOf(book: Book, place: Place, { declaredCountries, nowMs }: Circumstances): PlaceKey[] {
  const isFamiliar =
    declaredCountries.includes(place.region) ||
    [place.carrier, place.country].some((key) => book.at(key, nowMs).usualApproved >= familiarApprovals)
  return [
    ...(place.ip ? [place.ip] : []),
    ...place.blocks,
    place.carrier,
    place.country,
    ...(isFamiliar ? [] : [place.unfamiliar]),
  ]
}

export function judge(book: Book, place: Place, circumstances: Circumstances): Verdict {
  const { nowMs } = circumstances
  const keys = keysOf(book, place, circumstances)
  const probes: PlaceKey[] = []
  let stop: Stop | null = null
  for (const key of keys) {
    const state = book.at(key, nowMs)
    const barrier = standing(state, key.level, nowMs)
    if (barrier.state !== state) book.put(key, barrier.state)
    if (barrier.stands === 'probing') probes.push(key)
    else if (barrier.stands !== 'open') stop = worse(stop, key, barrier)
  }
  return { stop, keys, probes, circumstances }
}

/** Of several barriers, the one that stands longest. */
function worse(stop: Stop | null, by: PlaceKey, barrier: Barrier): Stop {
  const untilMs = freeAtMs(barrier)
  if (stop && stop.untilMs >= untilMs) return stop
  return { by, state: barrier.state, isHold: barrier.stands === 'held', untilMs }
}

const slackOf = (state: Debt) => slackPerApproval * state.recent

const isAlarmed = (level: Level, state: Debt) => state.debt >= levelRules[level].alert + slackOf(state)

function thresholdOf(
  level: Level,
  state: Debt,
  { isAlert, isFlagged, nowMs }: { isAlert: boolean; isFlagged: boolean; nowMs: number },
): number {
  const { block, blockUnapproved } = levelRules[level]
  if (level === 'ip') return isFlagged ? flaggedIpBlock : block
  const isOnProbation = state.strikes > 0 && nowMs - state.struckAtMs < probationMs
  const base = isOnProbation ? probationShare * block : block
  if (!isParent(level)) return isAlert && state.approved === 0 ? blockUnapproved : base
  if (state.approved === 0 && state.usualApproved < establishedApprovals) return blockUnapproved
  return base + 2 * slackOf(state)
}

/** After the message was let through. A repeat is not charged, but a probe is a probe. */
export function letThrough(book: Book, { keys, probes, circumstances }: Verdict, isCharged: boolean): void {
  const { nowMs, isFlagged } = circumstances
  for (const key of probes) book.put(key, takeProbe(book.at(key, nowMs), nowMs))
  if (!isCharged) return
  const charged = keys.map((key) => ({ key, state: charge(book.at(key, nowMs), nowMs) }))
  const isAlert = charged.some(({ key, state }) => isParent(key.level) && isAlarmed(key.level, state))
  for (const { key, state } of charged) {
    const threshold = thresholdOf(key.level, state, { isAlert, isFlagged, nowMs })
    book.put(key, raise(state, key.level, threshold, nowMs))
  }
}

const conversionShare = 0.75
const lowestBreakEven = 0.25

/** Where an app has its people, by their own usual conversion: in some places fewer finish than elsewhere. */
function breakEvenOf(level: Level, state: Debt): number {
  const { breakEven } = levelRules[level]
  if (level !== 'carrier' && level !== 'country') return breakEven
  const isYoung = state.atMs - state.sinceMs < establishedAfterMs
  if (isYoung || state.usualApproved < establishedApprovals) return breakEven
  const usual = state.usualApproved / state.usualNumbers
  return Math.min(breakEven, Math.max(lowestBreakEven, conversionShare * usual))
}

/** A send of that time was approved. */
export function approve(book: Book, keys: readonly PlaceKey[], chargedAtMs: number, nowMs: number): void {
  for (const key of keys) {
    const state = book.at(key, nowMs)
    const paid = giveBack(state, levelRules[key.level], breakEvenOf(key.level, state), chargedAtMs)
    book.put(key, isParent(key.level) ? reopen(paid, key.level, nowMs) : paid)
  }
}

/** Approvals of a blocked parent are mostly its probes': the gap shrinks, and enough of them end the block. */
function reopen(state: Debt, level: Level, nowMs: number): Debt {
  if (state.blockedUntilMs <= nowMs) return state
  if (isReformed(state, level)) return { ...state, blockedUntilMs: 0, probeAtMs: 0 }
  const gapMs = Math.max(shortestProbeGapMs, state.probeGapMs / 4)
  return { ...state, probeGapMs: gapMs, probeAtMs: Math.min(state.probeAtMs, nowMs + gapMs) }
}
