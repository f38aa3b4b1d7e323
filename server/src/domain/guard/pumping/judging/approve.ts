/** What happens once a code was typed: the charge of its send is paid back, and a closed place may open. */
import type { Charge } from '../acquaintance/acquaintance.ts'
import { keysOf } from '../acquaintance/charged-keys.ts'
import { isParent, isQuiet, isReformed, payLane } from '../debt/barrier.ts'
import { type Debt, dueAtMs, giveBack } from '../debt/debt.ts'
import { knownConversionIn, knownWeightOf } from '../fit/conversion.ts'
import { countApproval } from '../fit/count-fit.ts'
import {
  knownBreakEven,
  type Level,
  leftAfterScout,
  levelRules,
  secondHalfAfterMs,
  shortestScoutGapMs,
  usualCodes,
} from '../levels.ts'
import type { Book } from './book.ts'
import { countsIn } from './simulated.ts'
import { compare, usualIn } from './situation.ts'

/** Books the approval of the send with this charge. */
export function approve(book: Book, appId: string, sent: Charge, nowMs: number): void {
  const { worthOf, inLane } = sent.isKnown ? knownWorth(book, appId, sent, nowMs) : strangersWorth
  book.putFit(appId, countApproval(book.fitOf(appId, nowMs), sent))
  for (const key of keysOf(sent)) {
    const state = book.at(key, nowMs)
    if (!countsIn(state, sent.isSimulated)) continue
    const paid = giveBack(state, levelRules[key.level], worthOf(key.level, state), sent.atMs)
    book.put(key, isParent(key.level) && mayReopen(sent) ? reopen(paid, sent.isHome, nowMs) : paid)
  }
  for (const key of sent.lanes) book.put(key, payLane(book.at(key, nowMs), inLane(key.level)))
}

/** How much an approval pays back: to a place that its send was charged to, and to the lane of a closed place. */
interface Worth {
  readonly worthOf: (level: Level, state: Debt) => number
  readonly inLane: (level: Level) => number
}

/**
 * Whether the approval may reopen a closed place. An attack on known recipients types some codes too, so among known
 * recipients only scouts count.
 */
const mayReopen = ({ isKnown, isScout }: Charge) => isScout || !isKnown

const inFull = (level: Level) => 1 / levelRules[level].breakEven
const strangersWorth: Worth = { worthOf: inFull, inLane: inFull }

/**
 * Of sends to known recipients only the unexplained share is charged, and only that share of their approvals pays back:
 * otherwise the many who always come would pay for an attack. A scout is charged in full, and its approval pays back in
 * full.
 */
function knownWorth(book: Book, appId: string, sent: Charge, nowMs: number): Worth {
  const fit = book.fitOf(appId, nowMs)
  const { country } = sent.place.known
  const conversion = knownConversionIn(fit, usualIn(book.at(country, nowMs)), null)
  const excess = compare(book, sent.place, sent.place.known, { conversion, isKnown: true, nowMs })
  const weight = knownWeightOf(conversion)
  const whole = weight / (knownBreakEven * conversion)
  // A code that is used within the minute is never charged its second half: that is a part of what it pays back.
  const spared = nowMs - sent.atMs < secondHalfAfterMs ? weight / 2 : 0
  const worthOf = (level: Level, state: Debt) => {
    const odd = level === 'known_country' ? excess.country : excess.carrier
    const isScouts = sent.isScout && state.blockedUntilMs > nowMs
    return (isScouts ? 1 : oddShare(odd, conversion, state)) * (whole - spared)
  }
  return { worthOf, inLane: () => whole }
}

/** The share of approvals that belongs to the unexplained sends, if the usual people use their codes as always. */
function oddShare(odd: number, conversion: number, { due, atMs }: Debt): number {
  let [sent, approved] = [usualCodes, usualCodes * conversion]
  for (const [slot, unapproved, count] of due) {
    if (dueAtMs(slot) > atMs) continue
    sent += count
    approved += count - unapproved
  }
  return Math.max(0, Math.min(odd, 1 - ((1 - odd) * conversion * sent) / approved))
}

/** Approvals in a blocked parent are mostly of scouts: each lets the next scout go sooner, and enough end the block. */
function reopen(before: Debt, isHomePlace: boolean, nowMs: number): Debt {
  if (before.blockedUntilMs <= nowMs) return before
  const state =
    isHomePlace && isQuiet(before)
      ? { ...before, debt: Math.min(before.debt, leftAfterScout * before.debt) }
      : before
  if (isReformed(state, isHomePlace)) return { ...state, blockedUntilMs: 0, scoutAtMs: 0 }
  const gapMs = Math.max(shortestScoutGapMs, state.scoutGapMs / 4)
  return { ...state, scoutGapMs: gapMs, scoutAtMs: Math.min(state.scoutAtMs, nowMs + gapMs) }
}
