/**
 * How a level stands in the way of a send.
 *
 *   open    → held      a place reaches its threshold for the first time, or a carrier or country suddenly
 *                       has far fewer approvals than usual
 *   held    → open      approvals arrived meanwhile
 *   held    → blocked   they did not: the next send passes, and is the last
 *   open    → blocked   an address reaches its threshold, or a place that was held or blocked before
 *   blocked → open      its time is over, or somebody lifted it; the next one is twice as long. A parent's debt
 *                       must have fallen as well, else it stays blocked, for twice as long
 *
 * A barrier is raised by a send that passed, never by one that is refused. So whoever waits as long as told
 * finds the way open, unless somebody else has used it meanwhile.
 * A blocked parent lets a scout through now and then, whose approval shortens the way back.
 */
import { type Debt, isQuiet } from './debt.ts'
import {
  blockMs,
  holdAgainMs,
  holdMs,
  ipBlockMs,
  keptDebt,
  type Level,
  levelRules,
  longestBlockMs,
  longestParentBlockMs,
  longestScoutGapMs,
  parentBlockMs,
  reopenShare,
  scoutGapMs,
  shortestScoutGapMs,
  strikesKeptMs,
} from './levels.ts'

export interface Barrier {
  readonly state: Debt
  /** `scouting`: blocked, but one send may pass now. */
  readonly stands: 'open' | 'held' | 'blocked' | 'scouting'
}

export const isParent = (level: Level) => level === 'carrier' || level === 'country' || level === 'unfamiliar'

/** Of an advanced state, before a send. */
export function barrierAt(state: Debt, level: Level, nowMs: number): Barrier {
  if (state.blockedUntilMs > nowMs) {
    return { state, stands: isScoutDue(state, nowMs) ? 'scouting' : 'blocked' }
  }
  if (state.heldUntilMs > nowMs) return { state, stands: 'held' }
  if (!isParent(level) || state.blockedUntilMs === 0) return { state, stands: 'open' }
  return isReformed(state, level)
    ? { state: { ...state, blockedUntilMs: 0, scoutAtMs: 0 }, stands: 'open' }
    : { state: prolong(state, level, nowMs), stands: 'scouting' }
}

export interface Finding {
  readonly isReached: boolean
  /** Approvals are missing, so suddenly that a moment's wait is worth it. */
  readonly isShort: boolean
}

/** Sooner than was said, once no more strangers ask than usual. */
function isScoutDue(state: Debt, nowMs: number): boolean {
  const { scoutAtMs, scoutGapMs: gapMs } = state
  if (scoutAtMs === 0) return false
  return scoutAtMs <= nowMs || (scoutAtMs - gapMs + shortestScoutGapMs <= nowMs && isQuiet(state))
}

/** A stranger who is not let through is counted, and changes nothing else. */
export const countAsked = (state: Debt): Debt => ({ ...state, asked: state.asked + 1 })

/** After a send was charged: the one that reaches the threshold was the last. */
export function raise(state: Debt, level: Level, { isReached, isShort }: Finding, nowMs: number): Debt {
  const stands = state.blockedUntilMs > nowMs || state.heldUntilMs > nowMs
  if (stands || !(isReached || isShort)) return state
  const canWait = level !== 'ip' && (state.strikes === 0 || !isReached)
  return canWait && nowMs - state.heldUntilMs > holdAgainMs
    ? { ...state, heldUntilMs: nowMs + holdMs }
    : strike(state, level, nowMs)
}

/** The next scout is twice as far away. */
export function takeScout(state: Debt, nowMs: number): Debt {
  const gapMs = Math.min(longestScoutGapMs, state.scoutGapMs * 2)
  return { ...state, scoutGapMs: gapMs, scoutAtMs: nowMs + gapMs }
}

/** When the way may be free again: the end of the block, or the next scout. */
export function freeAtMs({ state, stands }: Barrier): number {
  if (stands === 'held') return state.heldUntilMs
  return state.scoutAtMs > 0 ? Math.min(state.blockedUntilMs, state.scoutAtMs) : state.blockedUntilMs
}

/** Time alone does not reopen a parent: an attack would be back at once. Its debt has to fall, by approvals or by age. */
export const isReformed = (state: Debt, level: Level) => state.debt < levelRules[level].alert * reopenShare

/** Whoever was told to wait for the end passes as a scout. */
function prolong(state: Debt, level: Level, nowMs: number): Debt {
  const { strikes, struckAtMs, blockedUntilMs } = strikeTime(state, level, nowMs)
  return { ...state, strikes, struckAtMs, blockedUntilMs, scoutAtMs: nowMs }
}

function strikeTime(state: Debt, level: Level, nowMs: number) {
  const strikes = nowMs - state.struckAtMs > strikesKeptMs ? 0 : state.strikes
  const [first, longest] = isParent(level)
    ? [parentBlockMs, longestParentBlockMs]
    : level === 'ip'
      ? [ipBlockMs, longestParentBlockMs]
      : [blockMs, longestBlockMs]
  const blockedUntilMs = nowMs + Math.min(longest, first * 2 ** strikes)
  return { strikes: strikes + 1, struckAtMs: nowMs, blockedUntilMs }
}

function strike(state: Debt, level: Level, nowMs: number): Debt {
  return {
    ...state,
    ...strikeTime(state, level, nowMs),
    debt: keptDebt * Math.min(state.debt, levelRules[level].block),
    due: [],
    scoutGapMs: isParent(level) ? scoutGapMs : 0,
    scoutAtMs: isParent(level) ? nowMs + scoutGapMs : 0,
  }
}
