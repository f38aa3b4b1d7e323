/** The conversion debt of one place: decay, second halves that fall due, charges, and what approvals pay back. */
import { correctedMs } from '../../../../platform/clock.ts'
import {
  askedMs,
  conversionHalfLifeMs,
  delayStep,
  firstDelayMs,
  holdMs,
  type LevelRule,
  laneHalfLifeMs,
  longestDelayMs,
  mostDebt,
  recentMs,
  secondHalfAfterMs,
  shortestDelayMs,
  slotMs,
} from '../levels.ts'

/** The sends of one slot of time: how many are not approved yet, how many there were, and their second halves. */
export type Due = readonly (readonly [slot: number, unapproved: number, sent: number, points: number])[]

export interface Debt {
  readonly debt: number
  /** The time for which all that decays has been computed. */
  readonly atMs: number
  /** Sends of the last minutes, oldest first. */
  readonly due: Due
  /** Numbers charged and approved since the debt was last at or below zero: the evidence. */
  readonly numbers: number
  readonly approved: number
  /** Messages to strangers, and approvals, of about the last ten minutes. */
  readonly sent: number
  readonly recent: number
  /** Strangers who asked in the last minutes, let through or not, and when the last one asked. */
  readonly asked: number
  readonly askedAtMs: number
  /**
   * Newcomers who asked in the last minutes: strangers in whose 10,000 numbers nobody had asked for long, or known
   * recipients who had not asked for long.
   */
  readonly newcomers: number
  /** The highest `asked` since the place was closed; it fades. */
  readonly mostAsked: number
  /** Charges and approvals of about the last month. */
  readonly usualNumbers: number
  readonly usualApproved: number
  readonly blockedUntilMs: number
  readonly heldUntilMs: number
  /** Set when somebody lifts a block: the place is not closed again before this time. */
  readonly liftedUntilMs: number
  readonly strikes: number
  readonly struckAtMs: number
  /** As of the last closing: what the place owed, what it was allowed to owe, and whether approvals were missing. */
  readonly limit: number
  readonly threshold: number
  readonly isForMissing: boolean
  readonly scoutAtMs: number
  readonly scoutGapMs: number
  /** The lane of a closed parent: what the people in it owe, and when the next one may pass. */
  readonly laneDebt: number
  readonly laneAtMs: number
  /** When the place was first charged. */
  readonly sinceMs: number
  /** The median time from a send to its approval. */
  readonly delayMs: number
  /** Only messages over the simulator were charged here. */
  readonly isSimulated: boolean
}

export const noDebt: Debt = {
  debt: 0,
  atMs: 0,
  due: [],
  numbers: 0,
  approved: 0,
  sent: 0,
  recent: 0,
  asked: 0,
  askedAtMs: 0,
  newcomers: 0,
  mostAsked: 0,
  usualNumbers: 0,
  usualApproved: 0,
  blockedUntilMs: 0,
  heldUntilMs: 0,
  liftedUntilMs: 0,
  strikes: 0,
  struckAtMs: 0,
  limit: 0,
  threshold: 0,
  isForMissing: false,
  scoutAtMs: 0,
  scoutGapMs: 0,
  laneDebt: 0,
  laneAtMs: 0,
  sinceMs: 0,
  delayMs: firstDelayMs,
  isSimulated: false,
}

const dayMs = 86_400_000

const slotOf = (timeMs: number) => Math.floor(timeMs / slotMs)
/** When the second halves of a slot's sends fall due. */
export const dueAtMs = (slot: number) => slot * slotMs + secondHalfAfterMs
/** Sends from before a hold are remembered until it ends, when it is checked whether their codes were used. */
const endAtMs = (slot: number, rule: LevelRule, heldUntilMs: number) =>
  slot * slotMs + rule.patienceMs + (slot * slotMs < heldUntilMs ? holdMs : 0)

/** Brings a state to now. Written field by field for speed: each send advances a dozen states. */
export function advance(state: Debt, rule: LevelRule, nowMs: number): Debt {
  const passedMs = nowMs - state.atMs
  if (passedMs <= 0) return state
  const tenMinutes = Math.exp(-passedMs / recentMs)
  const month = 0.5 ** (passedMs / conversionHalfLifeMs)
  const debt = state.debt * 0.5 ** (passedMs / rule.halfLifeMs) + fallenDue(state, rule, nowMs)
  return {
    debt: Math.min(mostDebt * rule.block, debt),
    atMs: nowMs,
    due: stillOpen(state, rule, nowMs),
    numbers: state.numbers,
    approved: state.approved,
    sent: state.sent * tenMinutes,
    recent: state.recent * tenMinutes,
    asked: state.asked * Math.exp(-passedMs / askedMs),
    askedAtMs: state.askedAtMs,
    newcomers: state.newcomers * Math.exp(-passedMs / askedMs),
    mostAsked: state.mostAsked * 0.5 ** (passedMs / laneHalfLifeMs),
    usualNumbers: state.usualNumbers * month,
    usualApproved: state.usualApproved * month,
    blockedUntilMs: state.blockedUntilMs,
    heldUntilMs: state.heldUntilMs,
    liftedUntilMs: state.liftedUntilMs,
    strikes: state.strikes,
    struckAtMs: state.struckAtMs,
    limit: state.limit,
    threshold: state.threshold,
    isForMissing: state.isForMissing,
    scoutAtMs: state.scoutAtMs,
    scoutGapMs: state.scoutGapMs,
    laneDebt: state.laneDebt * 0.5 ** (passedMs / laneHalfLifeMs),
    laneAtMs: state.laneAtMs,
    sinceMs: state.sinceMs,
    delayMs: state.delayMs,
    isSimulated: state.isSimulated,
  }
}

/**
 * A debt as it is read now. One that was written while the database's clock was ahead counts as written now: otherwise it
 * would not fade, and the place would stay closed, until the time that the clock showed.
 */
export function debtReadAt(state: Debt, nowMs: number): Debt {
  const aheadMs = state.atMs - nowMs
  if (aheadMs <= correctedMs) return state
  const back = (timeMs: number) => (timeMs > nowMs ? timeMs - aheadMs : timeMs)
  return {
    ...state,
    atMs: nowMs,
    due: state.due.map(([slot, ...counts]) => [slotOf(back(slot * slotMs)), ...counts] as const),
    askedAtMs: back(state.askedAtMs),
    blockedUntilMs: back(state.blockedUntilMs),
    heldUntilMs: back(state.heldUntilMs),
    liftedUntilMs: back(state.liftedUntilMs),
    struckAtMs: back(state.struckAtMs),
    scoutAtMs: back(state.scoutAtMs),
    laneAtMs: back(state.laneAtMs),
    sinceMs: back(state.sinceMs),
  }
}

/** Second halves of sends that have waited long enough, less what has faded since. */
function fallenDue({ due, atMs }: Debt, rule: LevelRule, nowMs: number): number {
  let sum = 0
  for (const [slot, , , points] of due) {
    const dueMs = dueAtMs(slot)
    if (dueMs > atMs && dueMs <= nowMs) sum += points * 0.5 ** ((nowMs - dueMs) / rule.halfLifeMs)
  }
  return sum
}

/** The slots are sorted, so those that are over come first. */
function stillOpen({ due, heldUntilMs }: Debt, rule: LevelRule, nowMs: number): Due {
  const over = due.findIndex(([slot]) => endAtMs(slot, rule, heldUntilMs) > nowMs)
  return over === 0 ? due : over < 0 ? noDebt.due : due.slice(over)
}

/** How many sends there were in the last minute. */
export function sentLately({ due, atMs }: Debt): number {
  let sum = 0
  for (const [slot, , sent] of due) if (dueAtMs(slot) > atMs) sum += sent
  return sum
}

/** How many sends of the last minute are not approved yet. */
export function unapprovedLately({ due, atMs }: Debt): number {
  let sum = 0
  for (const [slot, unapproved] of due) if (dueAtMs(slot) > atMs) sum += unapproved
  return sum
}

/**
 * Charges a send to a state that `advance` has brought to now. Half of the weight counts at once, and all of `more`.
 * Written field by field, as above, since a spread costs several times as much.
 */
export function charge(state: Debt, nowMs: number, weight: number, more: number): Debt {
  const isFresh = state.debt <= 0
  return {
    debt: state.debt + weight / 2 + more,
    atMs: state.atMs,
    due: added(state.due, slotOf(nowMs), weight / 2),
    numbers: isFresh ? 1 : state.numbers + 1,
    approved: isFresh ? 0 : state.approved,
    sent: state.sent + 1,
    recent: state.recent,
    asked: state.asked + 1,
    askedAtMs: nowMs,
    newcomers: state.newcomers,
    mostAsked: state.mostAsked,
    usualNumbers: state.usualNumbers + 1,
    usualApproved: state.usualApproved,
    blockedUntilMs: state.blockedUntilMs,
    heldUntilMs: state.heldUntilMs,
    liftedUntilMs: state.liftedUntilMs,
    strikes: state.strikes,
    struckAtMs: state.struckAtMs,
    limit: state.limit,
    threshold: state.threshold,
    isForMissing: state.isForMissing,
    scoutAtMs: state.scoutAtMs,
    scoutGapMs: state.scoutGapMs,
    laneDebt: state.laneDebt,
    laneAtMs: state.laneAtMs,
    sinceMs: state.sinceMs || nowMs,
    delayMs: state.delayMs,
    isSimulated: state.isSimulated,
  }
}

/** Counts a stranger who is not let through. */
export const countAsked = (state: Debt): Debt => ({
  ...state,
  asked: state.asked + 1,
  askedAtMs: state.atMs,
  mostAsked: Math.max(state.mostAsked, state.asked + 1),
})

export const countNewcomer = (state: Debt): Debt => ({ ...state, newcomers: state.newcomers + 1 })

/** How many strangers usually come in a millisecond. A first day that is not over counts as a whole one. */
export function usualRate(state: Pick<Debt, 'atMs' | 'sinceMs' | 'usualNumbers'>): number {
  if (state.sinceMs === 0) return 0
  const lifeMs = conversionHalfLifeMs / Math.LN2
  const weightMs = lifeMs * (1 - Math.exp(-(state.atMs - state.sinceMs) / lifeMs))
  return state.usualNumbers / Math.max(weightMs, dayMs)
}

function added(due: Due, slot: number, points: number): Due {
  const last = due[due.length - 1]
  return last?.[0] === slot
    ? due.with(-1, [slot, last[1] + 1, last[2] + 1, last[3] + points])
    : [...due, [slot, 1, 1, points]]
}

/** Pays back `worth` for the send of that time, which was approved. Takes a state that `advance` has brought to now. */
export function giveBack(state: Debt, rule: LevelRule, worth: number, chargedAtMs: number): Debt {
  const slot = slotOf(chargedAtMs)
  const isLate = state.atMs - chargedAtMs > state.delayMs
  const delayMs = state.delayMs * (isLate ? 1 + delayStep : 1 - delayStep)
  return {
    ...state,
    debt: Math.max(rule.floor, state.debt - worth),
    due: approvedIn(state.due, slot),
    approved: state.approved + 1,
    recent: state.recent + 1,
    usualApproved: state.usualApproved + 1,
    delayMs: Math.min(longestDelayMs, Math.max(shortestDelayMs, delayMs)),
  }
}

function approvedIn(due: Due, slot: number): Due {
  const index = due.findIndex(([time]) => time === slot)
  const entry = due[index]
  return entry ? due.with(index, oneLess(entry)) : due
}

function oneLess([slot, unapproved, sent, points]: Due[number]): Due[number] {
  if (unapproved <= 0) return [slot, 0, sent, 0]
  return [slot, unapproved - 1, sent, (points * (unapproved - 1)) / unapproved]
}
