/**
 * How a level stands in the way of a send.
 *
 *   open    → held      a place reaches its threshold for the first time, or a carrier or country suddenly
 *                       has far fewer approvals than usual
 *   held    → open      approvals arrived meanwhile
 *   held    → blocked   they did not: the next send passes, and is the last
 *   open    → blocked   a place that was held or blocked before reaches its threshold; but an address that owes only
 *                       for codes on their way is held once more
 *   blocked → open      its time is over, or somebody lifted it; the next one is twice as long. A parent's debt
 *                       must have fallen as well, else it stays blocked, for twice as long
 *
 * A barrier is raised by a send that passed, never by one that is refused. So whoever waits as long as told
 * finds the way open, unless somebody else has used it meanwhile.
 * A blocked parent lets a scout through now and then, whose approval shortens the way back.
 */
import {
  askedMs,
  blockMs,
  endedShare,
  fewAsked,
  fewRecent,
  holdAgainMs,
  holdMs,
  ipBlockMs,
  keptDebt,
  type Level,
  laneBlock,
  laneBurst,
  laneFloor,
  levelRules,
  longestBlockMs,
  longestParentBlockMs,
  longestScoutGapAbroadMs,
  longestScoutGapMs,
  parentBlockMs,
  quietAsked,
  quietFactor,
  reopenShare,
  shortestScoutGapMs,
  strikesKeptMs,
} from '../levels.ts'
import { type Debt, usualRate } from './debt.ts'

export interface Barrier {
  readonly state: Debt
  /** `scouting`: blocked, but one send may pass now. */
  readonly status: 'open' | 'held' | 'blocked' | 'scouting'
}

export const isParent = (level: Level) =>
  level === 'carrier' || level === 'country' || level === 'known_carrier' || level === 'known_country'

/**
 * Whether the attack is over: no more strangers ask than at a usual busy time, or far fewer than during the attack.
 * This can be told only where the app has people.
 */
export const isQuiet = (state: Debt): boolean =>
  state.asked <= Math.max(mostQuiet(state), endedShare * state.mostAsked)

const mostQuiet = (state: Debt) => quietFactor * usualRate(state) * askedMs + quietAsked

export interface Ground {
  /** Whether it is known what is usual there. */
  readonly isKnownPlace: boolean
  /** Whether the app has its people there. */
  readonly isHome: boolean
}

/** The barrier before a send. Takes a state that `advance` has brought to now. */
export function barrierAt(
  state: Debt,
  level: Level,
  { isKnownPlace, isHome }: Ground,
  nowMs: number,
): Barrier {
  if (state.blockedUntilMs > nowMs) {
    return { state, status: isScoutDue(state, isKnownPlace, nowMs) ? 'scouting' : 'blocked' }
  }
  if (state.heldUntilMs > nowMs) return { state, status: 'held' }
  if (!isParent(level) || state.blockedUntilMs === 0) return { state, status: 'open' }
  return isReformed(state, isHome)
    ? { state: { ...state, blockedUntilMs: 0, scoutAtMs: 0 }, status: 'open' }
    : { state: prolong(state, level, nowMs), status: 'scouting' }
}

export interface Finding {
  /** The debt at which the place is closed. */
  readonly threshold: number
  readonly isReached: boolean
  /** Approvals are missing, so suddenly that a short hold is worth it. */
  readonly missesApprovals: boolean
  /** The place owes only for codes on their way, which may still be used, so it may be held again. */
  readonly mayWaitAgain: boolean
  /** How long after a parent is closed its first scout goes. */
  readonly firstGapMs: number
}

/** A scout is due at its time, or sooner once no more strangers ask than usual. */
function isScoutDue(state: Debt, isKnownPlace: boolean, nowMs: number): boolean {
  const { scoutAtMs, scoutGapMs: gapMs } = state
  if (scoutAtMs === 0) return false
  if (scoutAtMs <= nowMs) return true
  return isKnownPlace && scoutAtMs - gapMs + shortestScoutGapMs <= nowMs && isQuiet(state)
}

/** The time between two people in the lane of a closed place: as often as people come at a busy time. */
const laneGapMs = (state: Debt) => 1 / Math.max(1e-9, quietFactor * usualRate(state))

/**
 * Whether somebody outside the attack's ranges may pass. These ranges are known once no more newcomers ask than the
 * app's people explain, and newcomers are a minority. If all numbers of a place are attacked, nobody can be told apart:
 * newcomers keep coming, or they do not type their codes either, and the lane stays closed.
 */
export function isLaneOpen(state: Debt, nowMs: number): boolean {
  const areKnown = state.newcomers <= Math.min(mostQuiet(state), state.asked / 2)
  const isSettled = state.blockedUntilMs > nowMs && (areKnown || isQuiet(state))
  const aMinute = usualRate(state) * 60_000
  return (
    isSettled &&
    state.laneDebt < laneBlock + 2 * aMinute &&
    state.laneAtMs - nowMs <= (laneBurst - 1) * laneGapMs(state)
  )
}

export const takeLane = (state: Debt, weight: number, nowMs: number): Debt => ({
  ...state,
  laneDebt: state.laneDebt + weight,
  laneAtMs: Math.max(state.laneAtMs, nowMs) + laneGapMs(state),
})

export const payLane = (state: Debt, worth: number): Debt => ({
  ...state,
  laneDebt: Math.max(laneFloor, state.laneDebt - worth),
})

/** Called after a send was charged. The send that reaches the threshold still passes, and is the last. */
export function raise(state: Debt, level: Level, finding: Finding, nowMs: number): Debt {
  const { threshold, isReached, missesApprovals, mayWaitAgain, firstGapMs } = finding
  const isStanding = Math.max(state.blockedUntilMs, state.heldUntilMs, state.liftedUntilMs) > nowMs
  if (isStanding || !(isReached || missesApprovals)) return state
  const canWait = state.strikes === 0 || !isReached
  const closed = { ...state, threshold, isForMissing: !isReached }
  return canWait && (mayWaitAgain || nowMs - state.heldUntilMs > holdAgainMs)
    ? { ...closed, heldUntilMs: nowMs + holdMs }
    : strike(closed, level, firstGapMs, nowMs)
}

/** Lets a scout pass and doubles the wait for the next one. */
export function takeScout(state: Debt, isHome: boolean, nowMs: number): Debt {
  const gapMs = Math.min(isHome ? longestScoutGapMs : longestScoutGapAbroadMs, state.scoutGapMs * 2)
  return { ...state, scoutGapMs: gapMs, scoutAtMs: nowMs + gapMs }
}

/** When the way may be free again: the end of the block, or the next scout. */
export function freeAtMs({ state, status }: Barrier): number {
  if (status === 'held') return state.heldUntilMs
  return state.scoutAtMs > 0 ? Math.min(state.blockedUntilMs, state.scoutAtMs) : state.blockedUntilMs
}

/** Time alone does not reopen a parent: an attack would be back at once. Its debt has to fall, by approvals or by age. */
export const isReformed = (state: Debt, isHome: boolean) =>
  state.debt < reopenShare * state.limit && (isHome || isApprovedLately(state) || state.asked < fewAsked)

/** Where the app knows nobody, age alone does not open a place while strangers go on asking. */
const isApprovedLately = ({ recent }: Debt) => recent > fewRecent

/** Blocks the place again. A scout is due at once: it is the caller who was told to wait until the block ends. */
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

function strike(state: Debt, level: Level, firstGapMs: number, nowMs: number): Debt {
  // Missing approvals count as a debt of the whole threshold: otherwise one late code would open the place again.
  const owed = state.isForMissing ? Math.max(state.debt, state.threshold) : state.debt
  const limit = Math.min(owed, levelRules[level].block)
  return {
    ...state,
    ...strikeTime(state, level, nowMs),
    limit,
    debt: keptDebt * limit,
    due: [],
    scoutGapMs: isParent(level) ? firstGapMs : 0,
    scoutAtMs: isParent(level) ? nowMs + firstGapMs : 0,
    laneDebt: 0,
    laneAtMs: 0,
    mostAsked: state.asked,
  }
}
