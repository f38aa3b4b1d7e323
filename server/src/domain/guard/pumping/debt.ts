/** Conversion debt of one key: decay, second halves that fall due, charges and what approvals give back. */
import {
  conversionHalfLifeMs,
  halfCharge,
  type LevelRule,
  recentMs,
  secondHalfAfterMs,
  slotMs,
} from './levels.ts'

export interface Debt {
  readonly debt: number
  /** The time to which all that decays has been brought. */
  readonly atMs: number
  /** Second halves to come: the slot of the send's time, and how many. */
  readonly due: readonly (readonly [slot: number, count: number])[]
  /** Numbers charged and approved since the debt was last at or below zero: the evidence. */
  readonly numbers: number
  readonly approved: number
  /** Approvals of about the last ten minutes. */
  readonly recent: number
  /** Charges and approvals of about the last month. */
  readonly usualNumbers: number
  readonly usualApproved: number
  readonly blockedUntilMs: number
  readonly heldUntilMs: number
  readonly strikes: number
  readonly struckAtMs: number
  readonly probeAtMs: number
  readonly probeGapMs: number
  /** The first charge. */
  readonly sinceMs: number
}

export const noDebt: Debt = {
  debt: 0,
  atMs: 0,
  due: [],
  numbers: 0,
  approved: 0,
  recent: 0,
  usualNumbers: 0,
  usualApproved: 0,
  blockedUntilMs: 0,
  heldUntilMs: 0,
  strikes: 0,
  struckAtMs: 0,
  probeAtMs: 0,
  probeGapMs: 0,
  sinceMs: 0,
}

/** Where blocks are only watched, debt would grow without end; this many thresholds are enough. */
const mostDebt = 3

const slotOf = (timeMs: number) => Math.floor(timeMs / slotMs)
const dueAtMs = (slot: number) => slot * slotMs + secondHalfAfterMs
const isDue = (slot: number, nowMs: number) => dueAtMs(slot) <= nowMs

/** The state as of now. */
export function advance(state: Debt, rule: LevelRule, nowMs: number): Debt {
  const passedMs = nowMs - state.atMs
  if (passedMs <= 0) return state
  const fallen = state.due.filter(([slot]) => isDue(slot, nowMs))
  const decayed = (sinceMs: number) => 0.5 ** ((nowMs - sinceMs) / rule.halfLifeMs)
  const halves = fallen.reduce((sum, [slot, count]) => sum + count * halfCharge * decayed(dueAtMs(slot)), 0)
  return {
    ...state,
    atMs: nowMs,
    debt: Math.min(mostDebt * rule.block, state.debt * decayed(state.atMs) + halves),
    due: fallen.length === 0 ? state.due : state.due.filter(([slot]) => !isDue(slot, nowMs)),
    recent: state.recent * Math.exp(-passedMs / recentMs),
    usualNumbers: state.usualNumbers * 0.5 ** (passedMs / conversionHalfLifeMs),
    usualApproved: state.usualApproved * 0.5 ** (passedMs / conversionHalfLifeMs),
  }
}

/** Of an advanced state. */
export function charge(state: Debt, nowMs: number): Debt {
  const slot = slotOf(nowMs)
  const last = state.due.at(-1)
  const isFresh = state.debt <= 0
  return {
    ...state,
    debt: state.debt + halfCharge,
    due: last?.[0] === slot ? [...state.due.slice(0, -1), [slot, last[1] + 1]] : [...state.due, [slot, 1]],
    numbers: isFresh ? 1 : state.numbers + 1,
    approved: isFresh ? 0 : state.approved,
    usualNumbers: state.usualNumbers + 1,
    sinceMs: state.sinceMs || nowMs,
  }
}

/** Of an advanced state: the send of that time was approved. */
export function giveBack(state: Debt, rule: LevelRule, breakEven: number, chargedAtMs: number): Debt {
  const slot = slotOf(chargedAtMs)
  return {
    ...state,
    debt: Math.max(rule.floor, state.debt - 1 / breakEven),
    due: state.due.flatMap(([time, count]) =>
      time !== slot ? [[time, count] as const] : count > 1 ? [[time, count - 1] as const] : [],
    ),
    approved: state.approved + 1,
    recent: state.recent + 1,
    usualApproved: state.usualApproved + 1,
  }
}
