/** Conversion debt of one key: decay, second halves that fall due, charges and what approvals give back. */
import {
  askedMs,
  conversionHalfLifeMs,
  establishedAfterMs,
  establishedApprovals,
  firstDelayMs,
  halfCharge,
  type LevelRule,
  longestDelayMs,
  quietAsked,
  quietFactor,
  recentMs,
  secondHalfAfterMs,
  shortestDelayMs,
  slotMs,
} from './levels.ts'

/** The sends of one slot of time: how many of them are not approved yet, and how many there were. */
export type Due = readonly (readonly [slot: number, unapproved: number, sent: number])[]

export interface Debt {
  readonly debt: number
  /** The time to which all that decays has been brought. */
  readonly atMs: number
  /** Second halves to come, oldest first. */
  readonly due: Due
  /** Numbers charged and approved since the debt was last at or below zero: the evidence. */
  readonly numbers: number
  readonly approved: number
  /** Approvals of about the last ten minutes. */
  readonly recent: number
  /** Strangers of about the last four minutes, whether let through or not. */
  readonly asked: number
  /** Charges and approvals of about the last month. */
  readonly usualNumbers: number
  readonly usualApproved: number
  readonly blockedUntilMs: number
  readonly heldUntilMs: number
  readonly strikes: number
  readonly struckAtMs: number
  readonly scoutAtMs: number
  readonly scoutGapMs: number
  /** When the place was first charged. */
  readonly sinceMs: number
  /** The median time from a send to its approval. */
  readonly delayMs: number
}

export const noDebt: Debt = {
  debt: 0,
  atMs: 0,
  due: [],
  numbers: 0,
  approved: 0,
  recent: 0,
  asked: 0,
  usualNumbers: 0,
  usualApproved: 0,
  blockedUntilMs: 0,
  heldUntilMs: 0,
  strikes: 0,
  struckAtMs: 0,
  scoutAtMs: 0,
  scoutGapMs: 0,
  sinceMs: 0,
  delayMs: firstDelayMs,
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
    asked: state.asked * Math.exp(-passedMs / askedMs),
    usualNumbers: state.usualNumbers * 0.5 ** (passedMs / conversionHalfLifeMs),
    usualApproved: state.usualApproved * 0.5 ** (passedMs / conversionHalfLifeMs),
  }
}

/** Of the last minute: how many there were, and how many of them are not approved yet. */
export const sentLately = ({ due }: Debt) => due.reduce((sum, [, , sent]) => sum + sent, 0)
export const unapprovedLately = ({ due }: Debt) => due.reduce((sum, [, unapproved]) => sum + unapproved, 0)

/** Takes a state that `advance` has brought to now. */
export function charge(state: Debt, nowMs: number, points = halfCharge): Debt {
  const isFresh = state.debt <= 0
  return {
    ...state,
    debt: state.debt + points,
    due: added(state.due, slotOf(nowMs)),
    numbers: isFresh ? 1 : state.numbers + 1,
    approved: isFresh ? 0 : state.approved,
    asked: state.asked + 1,
    usualNumbers: state.usualNumbers + 1,
    sinceMs: state.sinceMs || nowMs,
  }
}

/** With enough approvals, and not of one afternoon, what a place did so far is what is usual there. */
export const isEstablished = ({ usualApproved, atMs, sinceMs }: Debt) =>
  usualApproved >= establishedApprovals && atMs - sinceMs >= establishedAfterMs

/** Whether about as many strangers ask as usual, though perhaps at a busy time of the day. */
export function isQuiet(state: Debt): boolean {
  if (!isEstablished(state)) return false
  const lifeMs = conversionHalfLifeMs / Math.LN2
  const weightMs = lifeMs * (1 - Math.exp(-(state.atMs - state.sinceMs) / lifeMs))
  const usual = (state.usualNumbers / weightMs) * askedMs
  return state.asked <= quietFactor * usual + quietAsked
}

/** What is expected is less than usual, since a bad day is no attack. */
const conversionShare = 0.75

export const usualConversion = ({ usualApproved, usualNumbers }: Debt) =>
  conversionShare * (usualApproved / usualNumbers)

function added(due: Due, slot: number): Due {
  const last = due.at(-1)
  return last?.[0] === slot ? [...due.slice(0, -1), [slot, last[1] + 1, last[2] + 1]] : [...due, [slot, 1, 1]]
}

/** The median follows the approvals by steps of this share. */
const delayStep = 0.01

/** Of an advanced state: the send of that time was approved. */
export function giveBack(state: Debt, rule: LevelRule, breakEven: number, chargedAtMs: number): Debt {
  const slot = slotOf(chargedAtMs)
  const isLate = state.atMs - chargedAtMs > state.delayMs
  const delayMs = state.delayMs * (isLate ? 1 + delayStep : 1 - delayStep)
  return {
    ...state,
    debt: Math.max(rule.floor, state.debt - 1 / breakEven),
    due: state.due.map((entry) => (entry[0] === slot ? [slot, Math.max(0, entry[1] - 1), entry[2]] : entry)),
    approved: state.approved + 1,
    recent: state.recent + 1,
    usualApproved: state.usualApproved + 1,
    delayMs: Math.min(longestDelayMs, Math.max(shortestDelayMs, delayMs)),
  }
}
