/**
 * What is normal for one app: how many of its people type the code, in which countries, and whether the guard fits.
 *
 *   learning → learnt     in mode `auto`: 200 new numbers, three days after the first, of which at least a tenth typed
 *                         the code; or the operator said how many do
 *   learnt   → learning   most of those who were let through closed places, to see who they are, were people: the guard
 *                         does not fit, and has to learn anew
 *
 * While an app learns only what no honest app looks like is closed: an address, a number, ranges of a thousand numbers,
 * and places where after dozens of messages nobody has ever typed a code.
 */
import type { Charge } from './acquaintance.ts'
import { usualRate } from './debt.ts'
import {
  askedMs,
  attackShare,
  conversionHalfLifeMs,
  convertingCountryShare,
  declaredNumbers,
  establishedAfterMs,
  establishedApprovals,
  firstConversion,
  fullWeightConversion,
  homeAfterMs,
  homeApprovals,
  homeShare,
  knownFullConversion,
  knownNumbers,
  learningMs,
  learningNumbers,
  leastConversion,
  maturityMs,
  misfitHalfLifeMs,
  misfitNumbers,
  misfitShare,
  newCountryShare,
  recentMs,
  unprovenConversion,
} from './levels.ts'
import { isOutstanding } from './outlook.ts'
import { counted, faded, lowerShare, none, type Tally, upperShare } from './tally.ts'

export interface CountryTally extends Tally {
  readonly sinceMs: number
}

/** Sends of one slot of time that are not approved yet. */
type Pending = readonly (readonly [slot: number, unapproved: number])[]

export interface Fit {
  readonly atMs: number
  readonly sinceMs: number
  /** New numbers, and sends to known recipients; of about the last month. */
  readonly strangers: Tally
  readonly known: Tally
  readonly countries: ReadonlyMap<string, CountryTally>
  /** Of the last minutes. */
  readonly pending: Pending
  /** Strangers in countries of the app's own, of the last minutes: who asked, whose message went, who typed the code. */
  readonly asked: number
  readonly sent: number
  readonly recent: number
  /** Who was let through closed places or sent another way: what became of them says who is held there. */
  readonly scouts: Tally
  /** When learning ended; zero while it goes on. */
  readonly learntAtMs: number
  /** When the guard was last found not to fit. */
  readonly misfitAtMs: number
}

export const noFit: Fit = {
  atMs: 0,
  sinceMs: 0,
  strangers: none,
  known: none,
  countries: new Map(),
  pending: [],
  asked: 0,
  sent: 0,
  recent: 0,
  scouts: none,
  learntAtMs: 0,
  misfitAtMs: 0,
}

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

/** What fades within months does so in steps: most sends have nothing to fade. */
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

const tallyIn = ({ countries, atMs }: Fit, region: string): CountryTally =>
  countries.get(region) ?? { ...none, sinceMs: atMs }

function withCountry(fit: Fit, region: string, more: number, moreApproved: number): Fit['countries'] {
  const tally = tallyIn(fit, region)
  return new Map(fit.countries).set(region, { ...tally, ...counted(tally, more, moreApproved) })
}

/** A message to a new number goes out. */
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
/** Of strangers whom it does not learn from: they ask all the same, and what is around a place is counted without it. */
export const countApart = (fit: Fit): Fit => ({ ...fit, asked: fit.asked + 1, sent: fit.sent + 1 })
export const countTurnedAway = (fit: Fit): Fit => ({ ...fit, asked: fit.asked + 1 })
export const countScout = (fit: Fit): Fit => ({ ...fit, scouts: counted(fit.scouts, 1) })

export interface ApprovedSend
  extends Pick<Charge, 'atMs' | 'isKnown' | 'isHome' | 'isScout' | 'isNarrow' | 'isApart'> {
  readonly place: { readonly region: string }
}

export function countApproval(fit: Fit, sent: ApprovedSend): Fit {
  const { place, atMs, isKnown, isHome, isScout, isNarrow, isApart } = sent
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

/** Somebody who was sent another way because of a closed place was approved there. */
export const countElsewhere = (fit: Fit): Fit => refitted({ ...fit, scouts: counted(fit.scouts, 0, 1) })

/** Scouts, and who was sent another way, are a sample of those who are held: if they use codes as people do, then people are held. */
function refitted(fit: Fit): Fit {
  const arePeople = lowerShare(fit.scouts) >= misfitShare * conversionOf(fit, null)
  if (fit.scouts.numbers < misfitNumbers || !arePeople) return fit
  return { ...fit, scouts: none, learntAtMs: 0, misfitAtMs: fit.atMs }
}

/** What closed a place is no example of what people do. */
export const withoutAttack = (fit: Fit, { numbers, approved }: Tally): Fit => ({
  ...fit,
  strangers: {
    numbers: Math.max(fit.strangers.approved, fit.strangers.numbers - (numbers - approved)),
    approved: fit.strangers.approved,
  },
})

/** Before one in a hundred numbers was seen, or again after the guard was found not to fit. */
export const isLearning = ({ learntAtMs, misfitAtMs }: Fit, learns: boolean, nowMs: number): boolean =>
  learntAtMs === 0 && (learns || (misfitAtMs > 0 && nowMs - misfitAtMs < learningMs))

/** Without those whose codes may still be typed. */
function withoutPending({ numbers, approved }: Tally, { pending }: Fit): Tally {
  const waiting = pending.reduce((sum, [, unapproved]) => sum + unapproved, 0)
  return { numbers: Math.max(approved, numbers - waiting), approved }
}

const declaredTally = (declared: number | null): Tally =>
  declared === null ? none : { numbers: declaredNumbers, approved: declared * declaredNumbers }

/** Nobody has typed a code yet, so that nothing is known at all. */
export const isUnproven = ({ strangers, known }: Fit, declared: number | null): boolean =>
  strangers.approved + known.approved < 0.5 && declared === null

/** What share of new numbers may be expected to be approved, in the whole app. */
export const conversionOf = (fit: Fit, declared: number | null): number =>
  conversionBy(withoutPending(fit.strangers, fit), declared)

function conversionBy(tally: Tally, declared: number | null): number {
  const said = declaredTally(declared)
  const seen = counted(tally, said.numbers, said.approved)
  const least = seen.numbers < knownNumbers ? firstConversion : leastConversion
  return Math.max(least, lowerShare(seen))
}

const knownConversionOf = (fit: Fit, declared: number | null): number =>
  fit.known.numbers < knownNumbers
    ? conversionOf(fit, declared)
    : Math.max(leastConversion, lowerShare(fit.known))

/** Before, nobody can say what known recipients of this app do. */
export const isKnownUsual = ({ known, sinceMs, atMs }: Fit): boolean =>
  known.approved >= establishedApprovals && atMs - sinceMs >= establishedAfterMs

/** `there`: sends to known recipients of one country. Where these have long used fewer codes than elsewhere, that is usual. */
export function knownConversionIn(fit: Fit, there: CountryTally, declared: number | null): number {
  const overall = knownConversionOf(fit, declared)
  const isUsual = there.approved >= establishedApprovals && fit.atMs - there.sinceMs >= establishedAfterMs
  return isUsual ? Math.max(leastConversion, Math.min(overall, lowerShare(there))) : overall
}

/**
 * In one of its countries: by the country itself once it is established, else by the app at large. `asked`: how many
 * strangers ask there now.
 */
export function conversionIn(fit: Fit, region: string, declared: number | null, asked = 0): number {
  const tally = tallyIn(fit, region)
  if (isEstablished(fit, region)) return Math.max(leastConversion, lowerShare(tally))
  const overall = conversionOf(fit, declared)
  if (tally.approved < 3) return Math.max(leastConversion, newCountryShare * overall)
  return (
    crowdsMeasure(fit, tally, declared, asked) ?? Math.max(leastConversion, convertingCountryShare * overall)
  )
}

/**
 * A crowd that types far fewer codes than the rest of the app is no poor market: it is measured by the rest, if most codes
 * are typed there, and not by what it has made of the app.
 */
function crowdsMeasure(fit: Fit, tally: CountryTally, declared: number | null, asked: number): number | null {
  const rest = counted(fit.strangers, -tally.numbers, -tally.approved)
  if (rest.approved <= tally.approved) return null
  const usual = usualRate({ atMs: fit.atMs, sinceMs: fit.sinceMs, usualNumbers: rest.numbers }) * askedMs
  const conversion = conversionBy(rest, declared)
  const isFar = upperShare(withoutPending(tally, fit)) < convertingCountryShare * conversion
  return isFar && isOutstanding(asked, usual) ? conversion : null
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

export const isEstablished = (fit: Fit, region: string): boolean =>
  tallyIn(fit, region).approved >= establishedApprovals &&
  fit.atMs - tallyIn(fit, region).sinceMs >= establishedAfterMs

/**
 * How much one send without an approval says, beside one in an app of which three quarters type the code. Where few
 * type it, a code that is not typed is hardly news: the logarithm of how much likelier it is in an attack.
 */
export const weightOf = (conversion: number): number =>
  Math.min(1, surprise(conversion) / surprise(fullWeightConversion))

/** Known recipients who stop typing are to be told from those who type, not from those who never do. */
export const knownWeightOf = (conversion: number): number =>
  Math.min(1, weightOf(conversion) / weightOf(knownFullConversion))

const surprise = (conversion: number) => Math.log((1 - attackShare * conversion) / (1 - conversion))

/** Before anybody has typed a code, half are taken to. */
export const unprovenWeight = weightOf(unprovenConversion)
