/** May a paid message go to this number? Judged on debts in memory; the caller has locked what they came from. */
import {
  type Barrier,
  barrierAt,
  countAsked,
  freeAtMs,
  isParent,
  isReformed,
  raise,
  takeScout,
} from './barrier.ts'
import type { Book } from './book.ts'
import { charge, type Debt, type Due, giveBack, isQuiet, sentLately, unapprovedLately } from './debt.ts'
import { countLearning, isTiny, learntAtMs, withoutLearning } from './learning.ts'
import {
  familiarApprovals,
  familiarShare,
  halfCharge,
  type Level,
  leftAfterScout,
  levelRules,
  longestTrial,
  pairCharge,
  shortestScoutGapMs,
  trialNumbers,
  trialPerApproval,
  trialPerMinute,
} from './levels.ts'
import { createOutlook, settle } from './outlook.ts'
import { type ClosableKey, isClosable, type Place, type PlaceKey } from './place.ts'
import { breakEvenOf, isAlarmed, thresholdOf } from './threshold.ts'

/** What converts like this is not held to what is blocked in other places that are unfamiliar. */
const convertingApprovals = 3
const convertingShare = 0.4

export interface Circumstances {
  readonly isFlagged: boolean
  readonly declaredCountries: readonly string[]
  readonly nowMs: number
  /** In mode `auto`, with a carrier that is paid: wide places are closed only once the app has learnt. */
  readonly learns?: boolean
}

export interface Stop {
  readonly by: ClosableKey
  readonly state: Debt
  readonly isHold: boolean
  readonly untilMs: number
}

export interface Verdict {
  /** Null: the message may go. */
  readonly stop: Stop | null
  /** What would stand in the way, if the app did not still learn. */
  readonly watched: Stop | null
  /** What the send is charged to, once it goes. */
  readonly keys: readonly PlaceKey[]
  /** The places that it passes as a scout. */
  readonly scouts: readonly PlaceKey[]
  readonly circumstances: Circumstances
}

/** What a send is charged to, from the address and the smallest range to the widest. */
function keysOf(book: Book, place: Place, { declaredCountries, nowMs, learns }: Circumstances): PlaceKey[] {
  const isFamiliar =
    declaredCountries.includes(place.region) || converts(book, place, familiarApprovals, familiarShare, nowMs)
  return [
    ...(isOnTrial(book.at(place.trial, nowMs)) ? [place.trial] : []),
    ...(learns && learntAtMs(book.at(place.learning, nowMs)) === 0 ? [place.learning] : []),
    ...(place.ip ? [place.ip] : []),
    ...place.ranges,
    place.carrier,
    place.country,
    ...(isFamiliar ? [] : [place.unfamiliar]),
  ]
}

const converts = (book: Book, { carrier, country }: Place, approvals: number, share: number, nowMs: number) =>
  [carrier, country].some((key) => {
    const { usualApproved, usualNumbers } = book.at(key, nowMs)
    return usualApproved >= approvals && usualApproved >= share * usualNumbers
  })

function isOnTrial(state: Debt): boolean {
  const { numbers, approved } = state
  if (numbers < trialNumbers) return true
  const longest = Math.min(longestTrial, trialNumbers + trialPerApproval * approved)
  return numbers < longest && sentLately(state) < trialPerMinute
}

export function judge(book: Book, place: Place, circumstances: Circumstances): Verdict {
  const { nowMs } = circumstances
  const keys = keysOf(book, place, circumstances)
  const isConverting = converts(book, place, convertingApprovals, convertingShare, nowMs)
  const learning = isLearning(keys)
  const learntAt = circumstances.learns ? learntAtMs(book.at(place.learning, nowMs)) : 0
  const scouts: PlaceKey[] = []
  let stop: Stop | null = null
  let watched: Stop | null = null
  for (const key of keys) {
    if (!isClosable(key) || (key.level === 'unfamiliar' && isConverting)) continue
    const state = book.at(key, nowMs)
    const barrier = barrierAt(isTiny(key.level) ? state : withoutLearning(state, learntAt), key.level, nowMs)
    if (barrier.state !== state) book.put(key, barrier.state)
    if (barrier.stands === 'scouting') scouts.push(key)
    else if (barrier.stands === 'open') continue
    else if (learning && !isTiny(key.level)) watched = worse(watched, key, barrier)
    else stop = worse(stop, key, barrier)
  }
  return { stop, watched, keys, scouts, circumstances }
}

const isLearning = (keys: readonly PlaceKey[]) => keys.some(({ level }) => level === 'learning')

/** A stranger was not let through: whether many still ask is how the end of an attack is seen. */
export function turnAway(book: Book, { keys, circumstances: { nowMs } }: Verdict): void {
  for (const key of keys) {
    const state = book.at(key, nowMs)
    if (isParent(key.level) && state.blockedUntilMs > nowMs) book.put(key, countAsked(state))
  }
}

/** Picks, of several barriers, the one that stands longest. */
function worse(stop: Stop | null, by: ClosableKey, barrier: Barrier): Stop {
  const untilMs = freeAtMs(barrier)
  if (stop && stop.untilMs >= untilMs) return stop
  return { by, state: barrier.state, isHold: barrier.stands === 'held', untilMs }
}

/** What a few minutes of decay take off a debt is not worth another send. */
const tolerance = 0.1

/** After the message was let through. A repeat is not charged, but a scout is a scout. */
export function letThrough(book: Book, { keys, scouts, circumstances }: Verdict, isCharged: boolean): void {
  const { nowMs, isFlagged } = circumstances
  for (const key of scouts) book.put(key, takeScout(book.at(key, nowMs), nowMs))
  if (!isCharged) return
  const parentPoints = isPair(book, keys, nowMs) ? halfCharge + pairCharge : halfCharge
  const charged = keys.map((key) => {
    const before = book.at(key, nowMs)
    if (key.level === 'learning') return { key, state: countLearning(before, nowMs) }
    return { key, state: charge(before, nowMs, isParent(key.level) ? parentPoints : halfCharge) }
  })
  const isOnTrial = keys.some((key) => key.level === 'trial')
  // While an app learns, what its carriers owe says nothing about their ranges.
  const isAlert =
    !isLearning(keys) && charged.some(({ key, state }) => isParent(key.level) && isAlarmed(key.level, state))
  const outlook = createOutlook(charged, nowMs)
  let explained: Due = []
  for (const { key, state: before } of charged) {
    const { level } = key
    const state = isParent(level) ? settle(before, explained) : before
    const threshold = thresholdOf(level, state, { isAlert, isFlagged, nowMs }) - tolerance
    const { credit, isShort } = outlook(level, state)
    const finding = { isReached: state.debt - credit >= threshold, isShort }
    // The smallest place that explains it is closed; a wider one only by a send that closes none within it.
    const after = isOnTrial || explained.length > 0 ? state : raise(state, level, finding, nowMs)
    if (after !== state && level !== 'ip') explained = state.due
    book.put(key, after)
  }
}

/**
 * Where the app knows nobody, strangers come from all over a place: a second one in the same ten thousand numbers, while
 * the first has not used the code, is hardly there by chance. In the same hundred it may be a family, or the same phone.
 */
function isPair(book: Book, keys: readonly PlaceKey[], nowMs: number): boolean {
  const unapprovedIn = (wanted: Level) => {
    const key = keys.find(({ level }) => level === wanted)
    return key ? unapprovedLately(book.at(key, nowMs)) : 0
  }
  const isUnfamiliar = keys.some(({ level }) => level === 'unfamiliar')
  return isUnfamiliar && unapprovedIn('r10k') === 1 && unapprovedIn('r100') === 0
}

/** A send of that time was approved. */
export function approve(book: Book, keys: readonly PlaceKey[], chargedAtMs: number, nowMs: number): void {
  for (const key of keys) {
    const state = book.at(key, nowMs)
    const paid = giveBack(state, levelRules[key.level], breakEvenOf(key.level, state), chargedAtMs)
    book.put(key, isParent(key.level) ? reopen(paid, key.level, nowMs) : paid)
  }
}

/** Approvals of a blocked parent are mostly its scouts': the gap shrinks, and enough of them end the block. */
function reopen(before: Debt, level: Level, nowMs: number): Debt {
  if (before.blockedUntilMs <= nowMs) return before
  const state = isQuiet(before)
    ? { ...before, debt: Math.min(before.debt, leftAfterScout * before.debt) }
    : before
  if (isReformed(state, level)) return { ...state, blockedUntilMs: 0, scoutAtMs: 0 }
  const gapMs = Math.max(shortestScoutGapMs, state.scoutGapMs / 4)
  return { ...state, scoutGapMs: gapMs, scoutAtMs: Math.min(state.scoutAtMs, nowMs + gapMs) }
}
