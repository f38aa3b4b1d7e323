/**
 * At which times of the day an app's people come. Where all of them come within an hour or two, as to a bank in the
 * morning, the mean of day and night would make them a crowd every day.
 *
 * Only codes that were used count. Of each half hour of the day the root of their number is averaged over days, so that
 * one day of seven counts for a forty-ninth and not for a seventh: what happened once is not usual.
 */
import {
  expectedFactor,
  outstandingFactor,
  partMs,
  recentMs,
  suspiciousExcess,
  usualDays,
} from '../levels.ts'

export interface Hours {
  /** The day of UTC that is being counted, since 1970, and its used codes by half hour. */
  readonly day: number
  readonly today: readonly number[]
  /** The days before it that were learnt from. */
  readonly days: number
  /** The mean number of codes used in a day. */
  readonly mean: number
  /** By half hour of the day: the mean root of the number of codes used. */
  readonly roots: readonly number[]
}

const dayMs = 86_400_000
const parts = dayMs / partMs
const nobody: readonly number[] = Array(parts).fill(0)
export const noHours: Hours = { day: 0, today: nobody, days: 0, mean: 0, roots: nobody }

const dayOf = (timeMs: number) => Math.floor(timeMs / dayMs)
const partOf = (timeMs: number) => Math.floor((timeMs % dayMs) / partMs)

export function countInHours(hours: Hours, nowMs: number): Hours {
  const now = current(hours, nowMs)
  const part = partOf(nowMs)
  return { ...now, today: now.today.with(part, (now.today[part] ?? 0) + 1) }
}

/** A day that a clock counted which was ahead is today. */
export const notAhead = (hours: Hours, nowMs: number): Hours => ({
  ...hours,
  day: Math.min(hours.day, dayOf(nowMs)),
})

function current(hours: Hours, nowMs: number): Hours {
  const day = dayOf(nowMs)
  return day > hours.day ? begun(hours, day) : hours
}

/** Ends the day that was counted, and begins another. What was learnt before a long pause is not usual any more. */
function begun(hours: Hours, day: number): Hours {
  const { today, days, mean, roots } = hours
  const passed = day - hours.day
  if (passed > usualDays) return { ...noHours, day }
  // As if there had been half a day without anybody, since few days do not show what is usual.
  const step = 1 / (Math.min(days, usualDays) + 1.5)
  const total = today.reduce((sum, count) => sum + count, 0)
  const meanAfter = (mean + step * (total - mean)) * (1 - step) ** (passed - 1)
  // A day with hardly anybody, such as a Sunday, says nothing about the times of other days.
  if (outstandingFactor * total < mean) return { ...hours, day, today: nobody, mean: meanAfter }
  return { day, today: nobody, days: days + 1, mean: meanAfter, roots: roots.map(averaged) }

  function averaged(root: number, part: number): number {
    // A half hour with far more people than usual counts as if it had few enough not to stand out.
    const most = days === 0 ? total : outstandingFactor * Math.max(root ** 2, mean / parts)
    return root + step * (Math.sqrt(Math.min(today[part] ?? 0, most)) - root)
  }
}

/**
 * How many times as many people as on average surely come at this time of the day, or ten minutes before or
 * after it. It is 1 at times at which as many as usual raise no suspicion anyway.
 */
export function busynessAt(hours: Hours, nowMs: number): number {
  const { days, mean, roots } = current(hours, nowMs)
  if (days < 2) return 1
  const rootAt = (timeMs: number) => roots[partOf(timeMs)] ?? 0
  const root = Math.max(rootAt(nowMs - recentMs), rootAt(nowMs), rootAt(nowMs + recentMs))
  // The root of a number that varies by chance varies by a half.
  const sure = Math.max(0, root - 0.5 / Math.sqrt(Math.min(days, usualDays)))
  const times = (parts * sure ** 2) / mean
  return times * (1 - suspiciousExcess) > expectedFactor ? times : 1
}
