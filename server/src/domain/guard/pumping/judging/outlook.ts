/**
 * What the last minutes of a place say, compared with the rest of the app at the same time.
 *
 * A place is compared with the others, not with yesterday: if strangers increase everywhere it is a campaign, and if
 * approvals fall everywhere it is an outage. Codes that may still be used are no debt yet, even if they are late. Codes
 * that should have been used by now are a reason to hold, long before the debt has grown.
 */
import { type Debt, type Due, usualRate } from '../debt/debt.ts'
import {
  askedMs,
  burstFactor,
  burstSends,
  cautiousShare,
  delaySteepness,
  expectedFactor,
  expectedMore,
  leastMissing,
  missingDeviations,
  missingInBurst,
  missingShare,
  outstandingFactor,
  quietAsked,
  quietFactor,
  recentMs,
  slotMs,
} from '../levels.ts'

/** The surroundings of a place, without it: the rest of the app for a country, the rest of the country for a carrier. */
export interface Around {
  readonly asked: number
  readonly sent: number
  readonly recent: number
  readonly usualNumbers: number
  /** How many strangers usually come in a millisecond. */
  readonly rate: number
}

export const restOf = (whole: Around, state: Debt): Around => ({
  asked: Math.max(0, whole.asked - state.asked),
  sent: Math.max(0, whole.sent - state.sent),
  recent: Math.max(0, whole.recent - state.recent),
  usualNumbers: Math.max(0, whole.usualNumbers - state.usualNumbers),
  rate: Math.max(0, whole.rate - usualRate(state)),
})

/** How many strangers would ask there now if they came as they usually do, or as they come elsewhere. */
export function expectedAsked(state: Debt, rest: Around, busyness: number): number {
  const usual = busyness * usualRate(state) * askedMs
  if (rest.usualNumbers === 0) return usual
  return Math.max(usual, (state.usualNumbers / rest.usualNumbers) * rest.asked)
}

/** The same if the surroundings are people of another kind, who come at the same times. */
export const expectedBeside = (state: Debt, { asked, rate }: Around, busyness: number): number =>
  usualRate(state) * Math.max(busyness * askedMs, rate > 0 ? asked / rate : 0)

/** The share of those who ask there that is not explained. */
export const excessOf = (asked: number, expected: number): number =>
  asked <= 0 ? 0 : Math.max(0, Math.min(1, (asked - expectedFactor * expected - expectedMore) / asked))

export const isOutstanding = (asked: number, expected: number): boolean =>
  asked > outstandingFactor * expected + expectedMore

/** How near a place is to standing out: 0 if the expected number explains all who ask, 1 if it stands out. */
export const prominenceOf = (asked: number, expected: number): number => {
  const unexplained = asked - expectedFactor * expected - expectedMore
  if (unexplained <= 0) return 0
  return Math.min(1, unexplained / ((outstandingFactor - expectedFactor) * expected))
}

/** How well the rest converts now, as a share of usual: 1 unless few ask there and fewer than usual type the code. */
export function healthOfRest({ asked, sent, recent, rate }: Around, conversion: number): number {
  if (asked > quietFactor * rate * askedMs + quietAsked) return 1
  return Math.min(1, (recent + 2) / (conversion * sent + 2))
}

const recentMinutes = recentMs / 60_000

interface Outlook {
  /** Approvals that may still come. */
  readonly expected: number
  /** There are far fewer approvals than usual. */
  readonly missesApprovals: boolean
}

/** `slowMs`: the median time to type a code if codes are as slow as they can be without surprise. */
export function lookAt(state: Debt, usualConversion: number, slowMs: number, nowMs: number): Outlook {
  const conversion = cautiousShare * usualConversion
  const { sent, due, missing, deviation, expected } = lastMinutesOf(state, conversion, slowMs, nowMs)
  const usual = state.recent / recentMinutes / conversion
  const deviations = sent >= burstFactor * usual + burstSends ? missingInBurst : missingDeviations
  return {
    expected,
    missesApprovals: missing >= Math.max(leastMissing, missingShare * due, deviations * deviation),
  }
}

interface LastMinutes {
  /** Sends of the last minute. */
  readonly sent: number
  /** Approvals that should have come by now, how many of them did not, and how much of that chance explains. */
  readonly due: number
  readonly missing: number
  readonly deviation: number
  readonly expected: number
}

function lastMinutesOf(state: Debt, conversion: number, medianMs: number, nowMs: number): LastMinutes {
  let [sent, due, approved, variance, expected] = [0, 0, 0, 0, 0]
  for (const [slot, unapproved, count] of state.due) {
    const ageMs = nowMs - (slot + 0.5) * slotMs
    const share = conversion * arrivedShare(ageMs, medianMs)
    if (ageMs < 60_000) sent += count
    due += count * share
    approved += count - unapproved
    variance += count * share * (1 - share)
    expected += (unapproved * (conversion - share)) / (1 - share)
  }
  return { sent, due, missing: due - approved, deviation: Math.sqrt(variance), expected }
}

const arrivedShare = (ageMs: number, medianMs: number) =>
  ageMs <= 0 ? 0 : 1 / (1 + (medianMs / ageMs) ** delaySteepness)

/** Removes the sends that a smaller place explains. */
export function settle(state: Debt, explained: Due): Debt {
  if (explained.length === 0) return state
  const due = state.due.map(([slot, unapproved, sent, points]): Due[number] => {
    const theirs = explained.filter(([time]) => time === slot)
    const settled = Math.min(unapproved, sum(theirs.map((entry) => entry[1])))
    const left = unapproved === 0 ? 0 : (points * (unapproved - settled)) / unapproved
    return [slot, unapproved - settled, sent - Math.min(sent, sum(theirs.map((entry) => entry[2]))), left]
  })
  return { ...state, due }
}

const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0)
