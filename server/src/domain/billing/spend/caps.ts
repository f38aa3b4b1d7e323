/**
 * How much an app may spend in a UTC day and country, and in an hour on verifications that are not approved.
 *
 * A learned cap follows approvals, not money: it is a multiple of what people have approved, in the best such period of
 * the two weeks before or in this one so far. So traffic that nobody approves does not raise it, neither today nor for
 * tomorrow, and a launch in a new country raises it as it goes. The multiple is learnt too: in one app four of five people
 * type the code, in another one of twenty, and honest people pass in both.
 */
import type { AppSettings, PriceBook } from '@countersign/contract'
import { parseMicros } from '../money.ts'

export type Period = 'day' | 'hour'

export const periodMs: Readonly<Record<Period, number>> = { day: 86_400_000, hour: 3_600_000 }
export const startOf = (period: Period, timeMs: number) => timeMs - (timeMs % periodMs[period])

export interface Count {
  /** What was spent, without what was returned. */
  readonly spentMicros: bigint
  readonly approvedMicros: bigint
  readonly bestMicros: bigint
  /** What was spent for the best: in the cheapest of the periods with at least half as much approved. */
  readonly bestSpentMicros: bigint
}

export interface Cap {
  readonly source: 'set' | 'learned' | 'off'
  /** Null if the cap is off. */
  readonly micros: bigint | null
}

/** Twice the multiple of the best period, since people type late and not every day is as good. */
const timesOfBest = 2n
const leastTimes = 10n
/** Also used when too little was sent to learn from: enough where one honest person in a hundred types the code. */
const mostTimes = 100n
/** What every app may spend at least, in text messages: 100.00 at the shipped price of 0.05. */
const floorMessages = 2_000n

/** If text messages are free, the highest price in the book is used. */
export function floorOf({ default: prices, countries }: PriceBook): bigint {
  const sms = parseMicros(prices.sms)
  if (sms > 0n) return floorMessages * sms
  const all = [prices, ...Object.values(countries)].flatMap((book) => Object.values(book).map(parseMicros))
  return floorMessages * all.reduce(largest, 0n)
}

function timesOf({ bestMicros, bestSpentMicros }: Count, floorMicros: bigint): bigint {
  if (bestMicros === 0n || bestSpentMicros < floorMicros) return mostTimes
  const times = (timesOfBest * bestSpentMicros) / bestMicros
  return times > mostTimes ? mostTimes : largest(times, leastTimes)
}

const largest = (one: bigint, other: bigint) => (one > other ? one : other)

export function capOf(setting: string, count: Count, floorMicros: bigint): Cap {
  if (setting === 'off') return { source: 'off', micros: null }
  if (setting !== 'learned') return { source: 'set', micros: parseMicros(setting) }
  const learned = timesOf(count, floorMicros) * largest(count.bestMicros, count.approvedMicros)
  return { source: 'learned', micros: largest(learned, floorMicros) }
}

/** Email addresses have no country, and use the default. */
export const dayCapSetting = (
  { default: otherwise, countries }: AppSettings['spend_caps']['day_by_country'],
  country: string | null,
): string => (country === null ? undefined : countries[country]) ?? otherwise

/** The part of a count that is compared with the cap. */
export function countedMicros(period: Period, { spentMicros, approvedMicros }: Count): bigint {
  return period === 'day' ? spentMicros : largest(spentMicros - approvedMicros, 0n)
}

/** The first message of a period passes whatever it costs, so that waiting for the next period always helps. */
export const exceedsCap = ({ micros }: Cap, counted: bigint, priceMicros: bigint): boolean =>
  micros !== null && counted > 0n && counted + priceMicros > micros

/** What an approval of one verification would give back. */
export interface OpenSpend {
  readonly spendMicros: bigint
  readonly spendAt: Date | null
}

/** Adds one more message. What was spent in an earlier hour stays spent. */
export function addSpend({ spendMicros, spendAt }: OpenSpend, priceMicros: bigint, nowMs: number): OpenSpend {
  if (priceMicros === 0n) return { spendMicros, spendAt }
  const isSameHour = spendAt !== null && startOf('hour', spendAt.getTime()) === startOf('hour', nowMs)
  return { spendMicros: (isSameHour ? spendMicros : 0n) + priceMicros, spendAt: new Date(nowMs) }
}
