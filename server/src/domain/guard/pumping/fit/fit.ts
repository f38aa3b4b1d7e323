/**
 * What is normal for one app: how many of its people type the code, in which countries, and whether the guard fits.
 *
 *   learning → learnt     in mode `auto`: 200 new numbers, three days after the first, of which at least a tenth typed
 *                         the code; or somebody has declared how many do
 *   any      → learning   the first message goes out that the simulator does not carry
 *   learnt   → learning   the guard does not fit: most of those who were let through closed places, to see who they
 *                         are, were people, or most of those who were refused came back and were people
 *
 * While an app learns, only what occurs in no honest app is closed: a busy address, ranges of up to a thousand numbers,
 * and places where after dozens of messages nobody has ever typed a code. While it learns again, wide places that surely
 * convert far worse than its people are closed too.
 */
import {
  establishedAfterMs,
  establishedApprovals,
  homeAfterMs,
  homeApprovals,
  homeShare,
  learningMs,
} from '../levels.ts'
import { type Hours, noHours } from './hours.ts'
import { none, type Tally } from './tally.ts'

export interface CountryTally extends Tally {
  readonly sinceMs: number
}

/** What showed that people were held. */
export interface Misfit extends Tally {
  /** `passed`: let through closed places, or sent to on another channel. `refused`: refused, and approved later. */
  readonly by: 'passed' | 'refused'
  /** The share of this app's people who type the code. */
  readonly expected: number
}

/** Sends of one slot of time that are not approved yet. */
type Pending = readonly (readonly [slot: number, unapproved: number])[]

export interface Fit {
  /** The simulator has carried every message so far, so none of this says anything about people. */
  readonly isSimulated: boolean
  readonly atMs: number
  readonly sinceMs: number
  /** New numbers, and sends to known recipients, of about the last month. */
  readonly strangers: Tally
  readonly known: Tally
  readonly countries: ReadonlyMap<string, CountryTally>
  /** Sends of the last minutes. */
  readonly pending: Pending
  /** Strangers of the last minutes in the app's own countries: how many asked, were sent to, and typed the code. */
  readonly asked: number
  readonly sent: number
  readonly recent: number
  /** At which times of the day people come. */
  readonly hours: Hours
  /** People let through closed places or sent to on another channel: what they do says who is held there. */
  readonly scouts: Tally
  /** When learning ended; zero while it goes on. */
  readonly learntAtMs: number
  /** When the guard was last found not to fit. */
  readonly misfitAtMs: number
  /** Null if it was not recorded. */
  readonly misfit: Misfit | null
}

export const noFit: Fit = {
  isSimulated: false,
  atMs: 0,
  sinceMs: 0,
  strangers: none,
  known: none,
  countries: new Map(),
  pending: [],
  asked: 0,
  sent: 0,
  recent: 0,
  hours: noHours,
  scouts: none,
  learntAtMs: 0,
  misfitAtMs: 0,
  misfit: null,
}

export const tallyIn = ({ countries, atMs }: Fit, region: string): CountryTally =>
  countries.get(region) ?? { ...none, sinceMs: atMs }

/** `learns`: whether an app begins by learning. Any app learns for a while after its guard was found not to fit. */
export const isLearning = ({ learntAtMs, misfitAtMs }: Fit, learns: boolean, nowMs: number): boolean =>
  learntAtMs === 0 && (learns || (misfitAtMs > 0 && nowMs - misfitAtMs < learningMs))

/** Since when the guard acts as it does now. Refusals from before say nothing about it. */
export const fitsSinceMs = ({ sinceMs, learntAtMs, misfitAtMs }: Fit): number =>
  Math.max(sinceMs, learntAtMs, misfitAtMs > 0 ? misfitAtMs + learningMs : 0)

/** The share of codes that people are expected to use while the guard learns again; null if it never had to. */
export const expectedAgain = ({ misfit }: Pick<Fit, 'misfit'>, declared: number | null): number | null =>
  misfit && (declared ?? misfit.expected)

/** Nobody has typed a code yet, and nobody has declared how many do. */
export const isUnproven = ({ strangers, known }: Fit, declared: number | null): boolean =>
  strangers.approved + known.approved < 0.5 && declared === null

/** Whether a place was used for so long and by so many people that what they do counts as usual. */
export const isLongUsed = ({ atMs }: Fit, approved: number, sinceMs: number): boolean =>
  approved >= establishedApprovals && atMs - sinceMs >= establishedAfterMs

/** Whether it is known what is usual for the app's known recipients. */
export const isKnownUsual = (fit: Fit): boolean => isLongUsed(fit, fit.known.approved, fit.sinceMs)

export function isEstablished(fit: Fit, region: string): boolean {
  const { approved, sinceMs } = tallyIn(fit, region)
  return isLongUsed(fit, approved, sinceMs)
}

/** Whether the app has its people there. */
export function isHome(fit: Fit, region: string): boolean {
  const { numbers, approved, sinceMs } = tallyIn(fit, region)
  const overall = fit.strangers.numbers === 0 ? 0 : fit.strangers.approved / fit.strangers.numbers
  return (
    approved >= homeApprovals &&
    approved >= homeShare * overall * numbers &&
    fit.atMs - sinceMs >= homeAfterMs
  )
}
