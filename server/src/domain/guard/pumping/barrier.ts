/**
 * How a level stands in the way of a send.
 *
 *   open    → held      a block of numbers reaches its threshold for the first time
 *   held    → open      approvals arrived meanwhile
 *   held    → blocked   they did not: the next send passes, and is the last
 *   open    → blocked   a parent or an address reaches its threshold, or a block of numbers that was held before
 *   blocked → open      its time is over, or somebody lifted it; the next one is twice as long. A parent's debt
 *                       must have fallen as well, else it stays blocked, for twice as long
 *
 * A barrier is raised by a send that passed, never by one that is refused. So whoever waits as long as told
 * finds the way open, unless somebody else has used it meanwhile.
 * A blocked parent lets a probe through now and then, whose approval shortens the way back.
 */
import type { Debt } from './debt.ts'
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
  longestProbeGapMs,
  parentBlockMs,
  probeGapMs,
  reopenShare,
  strikesKeptMs,
} from './levels.ts'

export interface Barrier {
  readonly state: Debt
  /** `probing`: blocked, but one send may pass now. */
  readonly stands: 'open' | 'held' | 'blocked' | 'probing'
}

export const isParent = (level: Level) => level === 'carrier' || level === 'country' || level === 'unfamiliar'

/** Of an advanced state, before a send. */
export function standing(state: Debt, level: Level, nowMs: number): Barrier {
  if (state.blockedUntilMs > nowMs) {
    const isProbeDue = state.probeAtMs > 0 && state.probeAtMs <= nowMs
    return { state, stands: isProbeDue ? 'probing' : 'blocked' }
  }
  if (state.heldUntilMs > nowMs) return { state, stands: 'held' }
  if (!isParent(level) || state.blockedUntilMs === 0) return { state, stands: 'open' }
  return isReformed(state, level)
    ? { state: { ...state, blockedUntilMs: 0, probeAtMs: 0 }, stands: 'open' }
    : { state: prolong(state, level, nowMs), stands: 'probing' }
}

/** What a few minutes of decay take off a debt is not worth another send. */
const tolerance = 0.1

/** After a send was charged: the one that reaches the threshold was the last. */
export function raise(state: Debt, level: Level, threshold: number, nowMs: number): Debt {
  const stands = state.blockedUntilMs > nowMs || state.heldUntilMs > nowMs
  if (stands || state.debt < threshold - tolerance) return state
  const isFirst = state.strikes === 0 && nowMs - state.heldUntilMs > holdAgainMs
  return isFirst && !isParent(level) && level !== 'ip'
    ? { ...state, heldUntilMs: nowMs + holdMs }
    : strike(state, level, nowMs)
}

/** The next probe is twice as far away. */
export function takeProbe(state: Debt, nowMs: number): Debt {
  const gapMs = Math.min(longestProbeGapMs, state.probeGapMs * 2)
  return { ...state, probeGapMs: gapMs, probeAtMs: nowMs + gapMs }
}

/** When the way may be free again: the end of the block, or the next probe. */
export function freeAtMs({ state, stands }: Barrier): number {
  if (stands === 'held') return state.heldUntilMs
  return state.probeAtMs > 0 ? Math.min(state.blockedUntilMs, state.probeAtMs) : state.blockedUntilMs
}

/** Time alone does not reopen a parent: an attack would be back at once. Its debt has to fall, by approvals or by age. */
export const isReformed = (state: Debt, level: Level) => state.debt < levelRules[level].alert * reopenShare

/** Whoever was told to wait for the end passes as a probe. */
function prolong(state: Debt, level: Level, nowMs: number): Debt {
  const { strikes, struckAtMs, blockedUntilMs } = strikeTime(state, level, nowMs)
  return { ...state, strikes, struckAtMs, blockedUntilMs, probeAtMs: nowMs }
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
    probeGapMs: isParent(level) ? probeGapMs : 0,
    probeAtMs: isParent(level) ? nowMs + probeGapMs : 0,
  }
}
