/** How the knowledge of an app changes: with time, with each message, and with each code that was typed. */
import { correctedMs } from '../../../../platform/clock.ts'
import type { Charge } from '../acquaintance/acquaintance.ts'
import {
  askedMs,
  conversionHalfLifeMs,
  learningMs,
  learningNumbers,
  leastConversion,
  maturityMs,
  misfitHalfLifeMs,
  misfitNumbers,
  misfitShare,
  recentMs,
} from '../levels.ts'
import { conversionOf } from './conversion.ts'
import { type Fit, type Misfit, noFit, tallyIn } from './fit.ts'
import { countInHours, notAhead } from './hours.ts'
import { counted, faded, lowerShare, none, type Tally } from './tally.ts'

const pendingSlotMs = 60_000
const slotOf = (timeMs: number) => Math.floor(timeMs / pendingSlotMs)

export function advanceFit(fit: Fit, nowMs: number): Fit {
  const passedMs = nowMs - fit.atMs
  if (passedMs <= 0) return fit
  return {
    ...fit,
    ...monthly(fit, Math.floor(nowMs / fadeStepMs) - Math.floor(fit.atMs / fadeStepMs)),
    atMs: nowMs,
    pending: fit.pending.filter(([slot]) => (slot + 1) * pendingSlotMs + maturityMs > nowMs),
    asked: fit.asked * Math.exp(-passedMs / askedMs),
    sent: fit.sent * Math.exp(-passedMs / recentMs),
    recent: fit.recent * Math.exp(-passedMs / recentMs),
    scouts: faded(fit.scouts, 0.5 ** (passedMs / misfitHalfLifeMs)),
  }
}

/** As it is read now: what was written while the database's clock was ahead counts as written now. */
export function fitReadAt(fit: Fit, nowMs: number): Fit {
  const aheadMs = fit.atMs - nowMs
  if (aheadMs <= correctedMs) return fit
  const back = (timeMs: number) => (timeMs > nowMs ? timeMs - aheadMs : timeMs)
  return {
    ...fit,
    atMs: nowMs,
    sinceMs: back(fit.sinceMs),
    countries: new Map(
      [...fit.countries].map(([country, tally]) => [country, { ...tally, sinceMs: back(tally.sinceMs) }]),
    ),
    pending: fit.pending.map(([slot, count]) => [slotOf(back(slot * pendingSlotMs)), count]),
    hours: notAhead(fit.hours, nowMs),
    learntAtMs: back(fit.learntAtMs),
    misfitAtMs: back(fit.misfitAtMs),
  }
}

export const fitNow = (stored: Fit, nowMs: number): Fit => advanceFit(fitReadAt(stored, nowMs), nowMs)

/** Called before a send. Tests with the simulator say nothing about people, so an app begins anew after them. */
export function fitBefore(fit: Fit, isSimulated: boolean): Fit {
  if (fit.isSimulated === isSimulated) return fit
  if (fit.sinceMs === 0 && fit.known.numbers === 0) return { ...fit, isSimulated }
  return isSimulated ? fit : { ...noFit, atMs: fit.atMs, sinceMs: fit.atMs }
}

/** Values that fade within months do so in steps of this length, so that most sends have nothing to compute. */
const fadeStepMs = 600_000

function monthly(fit: Fit, steps: number): Pick<Fit, 'strangers' | 'known' | 'countries'> {
  if (steps === 0) return fit
  const month = 0.5 ** ((steps * fadeStepMs) / conversionHalfLifeMs)
  return {
    strangers: faded(fit.strangers, month),
    known: faded(fit.known, month),
    countries: new Map(
      [...fit.countries].map(([region, tally]) => [region, { ...tally, ...faded(tally, month) }]),
    ),
  }
}

function withCountry(fit: Fit, region: string, more: number, moreApproved: number): Fit['countries'] {
  const tally = tallyIn(fit, region)
  return new Map(fit.countries).set(region, { ...tally, ...counted(tally, more, moreApproved) })
}

/** Counts a message to a new number. */
export function countStranger(fit: Fit, region: string, isHome: boolean, nowMs: number): Fit {
  const last = fit.pending.at(-1)
  const slot = slotOf(nowMs)
  const isSame = last?.[0] === slot
  const next: Fit = {
    ...fit,
    sinceMs: fit.sinceMs || nowMs,
    strangers: counted(fit.strangers, 1),
    countries: withCountry(fit, region, 1, 0),
    pending: isSame ? [...fit.pending.slice(0, -1), [slot, last[1] + 1]] : [...fit.pending, [slot, 1]],
    asked: fit.asked + (isHome ? 1 : 0),
    sent: fit.sent + (isHome ? 1 : 0),
  }
  return isLearnt(next, nowMs) ? { ...next, learntAtMs: nowMs } : next
}

function isLearnt({ learntAtMs, misfitAtMs, sinceMs, strangers }: Fit, nowMs: number): boolean {
  return (
    learntAtMs === 0 &&
    strangers.numbers >= learningNumbers &&
    strangers.approved >= leastConversion * strangers.numbers &&
    nowMs - Math.max(sinceMs, misfitAtMs) >= learningMs
  )
}

export const countKnown = (fit: Fit): Fit => ({ ...fit, known: counted(fit.known, 1) })
/** Strangers whom the app does not learn from still count as asking and sent to. */
export const countApart = (fit: Fit): Fit => ({ ...fit, asked: fit.asked + 1, sent: fit.sent + 1 })
export const countTurnedAway = (fit: Fit): Fit => ({ ...fit, asked: fit.asked + 1 })
export const countScout = (fit: Fit): Fit => ({ ...fit, scouts: counted(fit.scouts, 1) })

export interface ApprovedSend
  extends Pick<Charge, 'atMs' | 'isKnown' | 'isHome' | 'isScout' | 'isNarrow' | 'isApart' | 'isSimulated'> {
  readonly place: { readonly region: string }
}

export function countApproval(before: Fit, sent: ApprovedSend): Fit {
  const { place, atMs, isKnown, isHome, isScout, isNarrow, isApart, isSimulated } = sent
  // The app has forgotten this send, so its approval must not count alone.
  if (atMs < before.sinceMs) return before
  const isUnreal = isSimulated && !before.isSimulated
  const fit = isUnreal ? before : { ...before, hours: countInHours(before.hours, before.atMs) }
  const scouts = isScout ? counted(fit.scouts, 0, 1) : fit.scouts
  if (isApart) {
    const isAround = isHome && !isKnown && !isNarrow
    return refitted({ ...fit, scouts, recent: fit.recent + (isAround ? 1 : 0) })
  }
  if (isKnown) return refitted({ ...fit, scouts, known: counted(fit.known, 0, 1) })
  const slot = slotOf(atMs)
  return refitted({
    ...fit,
    scouts,
    strangers: counted(fit.strangers, 0, 1),
    countries: withCountry(fit, place.region, 0, 1),
    pending: fit.pending.map((entry) => (entry[0] === slot ? [slot, Math.max(0, entry[1] - 1)] : entry)),
    recent: fit.recent + (isHome ? 1 : 0),
  })
}

/** Counts the approval of somebody who was sent to on another channel because a place was closed. */
export const countElsewhere = (fit: Fit): Fit => refitted({ ...fit, scouts: counted(fit.scouts, 0, 1) })

/** Scouts, and those sent to on another channel, are a sample of the held. If they use codes, people are being held. */
const refitted = (fit: Fit): Fit =>
  fit.scouts.numbers >= misfitNumbers && arePeople(fit, fit.scouts) ? misfit(fit, 'passed', fit.scouts) : fit

/** Whether more people used their codes than chance could explain if they were an attack. */
const arePeople = (fit: Fit, tally: Tally) => lowerShare(tally) >= misfitShare * conversionOf(fit, null)

const misfit = (fit: Fit, by: Misfit['by'], { numbers, approved }: Tally): Fit => ({
  ...fit,
  scouts: none,
  learntAtMs: 0,
  misfitAtMs: fit.atMs,
  misfit: { by, numbers, approved, expected: conversionOf(fit, null) },
})

/** The people who were refused because a wide place was closed. */
export interface Refused {
  /** Different recipients. */
  readonly people: number
  /** How many of these people the app has approved since. */
  readonly approvedLater: number
  /** The sum, over these people, of the share of codes that each has used since. */
  readonly used: number
  /** Refusals whose recipient is unknown: at worst each was for somebody who never came back. */
  readonly unseen: number
}

/**
 * The refused are everybody who was held, not a sample, but they are seen only if they come back. Each counts by the
 * share of codes that it has used since: a number that types a code now and then is not a person.
 */
export function doubted(fit: Fit, { people, approvedLater, used, unseen }: Refused): Fit {
  // Enough people must have come back: refusals of invented numbers, which never do, cost an attacker nothing.
  const isMisfit =
    approvedLater >= misfitNumbers && arePeople(fit, { numbers: people + unseen, approved: used })
  return isMisfit ? misfit(fit, 'refused', { numbers: people, approved: approvedLater }) : fit
}

/** Removes the sends that closed a place from what the app has learnt. */
export const withoutAttack = (fit: Fit, { numbers, approved }: Tally): Fit => ({
  ...fit,
  strangers: {
    numbers: Math.max(fit.strangers.approved, fit.strangers.numbers - (numbers - approved)),
    approved: fit.strangers.approved,
  },
})
