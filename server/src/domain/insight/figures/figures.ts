/**
 * Counts of verifications and of their messages. A verification and its approval count in the hour in which it was started,
 * so that a conversion never compares the approvals of one hour with the sends of another; a message counts in the hour in
 * which it was made. A verification counts under the channel that it was last on, a message under its own.
 */
import type { Figures } from '@countersign/contract'
import { formatMicros } from '../../billing/index.ts'

export interface Tally {
  readonly sends: number
  readonly messages: number
  readonly delivered: number
  readonly failed: number
  readonly approvals: number
  readonly costMicros: bigint
  /** Times to approve: how many fell into each bucket. */
  readonly times: ReadonlyMap<number, number>
}

/** The middle of a bucket this wide is within five percent of every value in it. */
export const bucketRatio = 1.1
export const shortestSeconds = 0.01

export const noTally: Tally = {
  sends: 0,
  messages: 0,
  delivered: 0,
  failed: 0,
  approvals: 0,
  costMicros: 0n,
  times: new Map(),
}

export const addTallies = (left: Tally, right: Tally): Tally => sumTallies([left, right])

/** Adds up thousands at once, so their times are collected in one map. */
export function sumTallies(tallies: readonly Tally[]): Tally {
  const sum = { ...noTally, times: new Map<number, number>() }
  for (const one of tallies) {
    sum.sends += one.sends
    sum.messages += one.messages
    sum.delivered += one.delivered
    sum.failed += one.failed
    sum.approvals += one.approvals
    sum.costMicros += one.costMicros
    for (const [bucket, count] of one.times) sum.times.set(bucket, (sum.times.get(bucket) ?? 0) + count)
  }
  return sum
}

export const figuresOf = ({ costMicros, times, ...counts }: Tally): Figures => ({
  ...counts,
  conversion: counts.sends === 0 ? null : counts.approvals / counts.sends,
  cost: formatMicros(costMicros),
  cost_per_approval: costEach(costMicros, counts.approvals),
  seconds_to_approve: times.size === 0 ? null : { p50: percentile(times, 50), p95: percentile(times, 95) },
})

/** Null if there is nothing to divide by. */
export const costEach = (micros: bigint, count: number): string | null =>
  count === 0 ? null : formatMicros(micros / BigInt(count))

/** By the nearest rank: the time within which this percentage was approved. */
function percentile(times: ReadonlyMap<number, number>, percent: number): number {
  const buckets = [...times].sort(([left], [right]) => left - right)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.ceil((total * percent) / 100)
  const found = buckets.find(([, count]) => {
    left -= count
    return left <= 0
  })
  const seconds = shortestSeconds * bucketRatio ** ((found?.[0] ?? 0) + 0.5)
  return Number(seconds.toPrecision(4))
}

/** How long hours and days are kept: people look at hours for weeks, at days for a year. */
export const hoursKeptDays = 60
export const daysKeptDays = 400
