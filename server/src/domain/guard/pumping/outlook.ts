/**
 * What the last minute of a familiar place says.
 *
 * Where a country's usual conversion and delay are known, codes that may still be used are no debt yet, and codes
 * that should have been used by now are a reason to hold, long before the debt has grown.
 */
import { type Debt, type Due, isEstablished, usualConversion } from './debt.ts'
import { halfCharge, type Level, recentMs, slotMs } from './levels.ts'
import type { PlaceKey } from './place.ts'

/** Approvals that are missing: at least so many, this share of those that should be there, and so many deviations. */
const leastMissing = 4
const missingShare = 0.5
const missingDeviations = 3
/** A minute with so many times the usual sends, and more, needs less to be suspicious. */
const burstFactor = 2
const burstSends = 5
const missingInBurst = 2.5
/** If this share of what a country misses is missing at one carrier, the carrier is held alone. */
const explainingShare = 0.6
const recentMinutes = recentMs / 60_000

export interface Outlook {
  /** The part of the debt that is owed by codes which may still be used. */
  readonly credit: number
  /** Far fewer approvals than usual. */
  readonly isShort: boolean
}

const noOutlook: Outlook = { credit: 0, isShort: false }

/** By what is usual in the country. If most of what it misses is missing at this carrier, then it is the carrier. */
export function createOutlook(
  charged: readonly { readonly key: PlaceKey; readonly state: Debt }[],
  nowMs: number,
): (level: Level, state: Debt) => Outlook {
  const country = charged.find(({ key }) => key.level === 'country')?.state
  if (!country || !isEstablished(country)) return () => noOutlook
  const conversion = usualConversion(country)
  const look = (state: Debt) => lastMinuteOf(state, conversion, country.delayMs, nowMs)
  const wide = look(country)
  const isWideShort = isShort(country, wide, conversion)
  return (level, state) => {
    if (level !== 'country' && level !== 'carrier') return noOutlook
    const own = look(state)
    const isExplaining = level === 'carrier' && isWideShort && own.missing >= explainingShare * wide.missing
    return { credit: own.expected / conversion, isShort: isExplaining || isShort(state, own, conversion) }
  }
}

function isShort({ recent }: Debt, { sent, due, missing, deviation }: LastMinute, conversion: number) {
  const usual = recent / recentMinutes / conversion
  const deviations = sent >= burstFactor * usual + burstSends ? missingInBurst : missingDeviations
  return missing >= Math.max(leastMissing, missingShare * due, deviations * deviation)
}

interface LastMinute {
  readonly sent: number
  /** Approvals that should have come by now, how many of them did not, and how much of that chance explains. */
  readonly due: number
  readonly missing: number
  readonly deviation: number
  /** Approvals that may still come. */
  readonly expected: number
}

function lastMinuteOf(state: Debt, conversion: number, medianMs: number, nowMs: number): LastMinute {
  let [sent, due, approved, variance, expected] = [0, 0, 0, 0, 0]
  for (const [slot, unapproved, count] of state.due) {
    const share = conversion * arrivedShare(nowMs - (slot + 0.5) * slotMs, medianMs)
    sent += count
    due += count * share
    approved += count - unapproved
    variance += count * share * (1 - share)
    expected += (unapproved * (conversion - share)) / (1 - share)
  }
  return { sent, due, missing: due - approved, deviation: Math.sqrt(variance), expected }
}

/** Log-logistic, about as wide as the lognormal that approval delays follow. */
const steepness = 2.4
const arrivedShare = (ageMs: number, medianMs: number) =>
  ageMs <= 0 ? 0 : 1 / (1 + (medianMs / ageMs) ** steepness)

/** What a smaller place explains no longer counts as pending here: its second halves fall due at once. */
export function settle(state: Debt, explained: Due): Debt {
  if (explained.length === 0) return state
  let halves = 0
  const due = state.due.map(([slot, unapproved, sent]) => {
    const theirs = explained.filter(([time]) => time === slot)
    const settled = Math.min(unapproved, sum(theirs.map((entry) => entry[1])))
    halves += settled
    return [slot, unapproved - settled, sent - Math.min(sent, sum(theirs.map((entry) => entry[2])))] as const
  })
  return { ...state, debt: state.debt + halves * halfCharge, due }
}

const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0)
