/**
 * An app in mode `auto` learns before it holds back wide places.
 *
 *   learning → settled   at least 200 new numbers since it began, at least 45 % of the last few hundred approved, and
 *                        three days after the first
 *
 * While it learns, only what no honest app looks like is closed: an address, and ranges of at most a thousand
 * numbers. What carriers and countries owe is recorded, and forgotten when learning ends. It never begins again: an
 * attack must not be able to bring it back.
 */
import { charge, type Debt } from './debt.ts'
import { familiarShare, holdMs, type Level } from './levels.ts'

export const learningNumbers = 200
export const learningMs = 3 * 24 * 3_600_000
/** At this count both counts are halved, so that a bad day in the beginning does not count forever. */
const mostNumbers = 2 * learningNumbers

/** Closed also while an app learns. */
export const isTiny = (level: Level) => level === 'ip' || level === 'r100' || level === 'r1k'

/** When it ended; zero while it goes on. Kept where other levels keep the time of their last block. */
export const learntAtMs = ({ struckAtMs }: Debt) => struckAtMs

/** Of an advanced state: one more new number. */
export function countLearning(state: Debt, nowMs: number): Debt {
  const counted = charge(state, nowMs)
  const { numbers, approved, sinceMs } = counted
  const isEnough =
    numbers >= learningNumbers && approved >= familiarShare * numbers && nowMs - sinceMs >= learningMs
  if (isEnough) return { ...counted, struckAtMs: nowMs }
  return numbers < mostNumbers ? counted : { ...counted, numbers: numbers / 2, approved: approved / 2 }
}

/** What a wide place owed while the app learnt closes nothing afterwards. */
export const withoutLearning = (state: Debt, endedAtMs: number): Debt =>
  state.heldUntilMs > 0 && state.heldUntilMs < endedAtMs + holdMs && state.struckAtMs < endedAtMs
    ? {
        ...state,
        debt: 0,
        due: [],
        blockedUntilMs: 0,
        heldUntilMs: 0,
        strikes: 0,
        scoutAtMs: 0,
        scoutGapMs: 0,
      }
    : state
