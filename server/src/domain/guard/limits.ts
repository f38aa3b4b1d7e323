/**
 * Limits, judged in memory on rows that the caller has locked.
 *
 * Counted limits (recipient, address) remember the time of each call: exactly `max` pass in any window, and apps of one
 * company that share a recipient's row can each apply their own maximum. Rates (of an app, or with a maximum too high
 * to count) remember one time, as GCRA does, since they are busy and may be large; and how long a call took, so that
 * the count stays when the maximum changes. All limits of a call are tested before any is charged.
 */
import type { CountedScope, LimitWindow } from '@countersign/contract'
import { correctedMs } from '../../platform/clock.ts'

export type LimitKind = 'counted' | 'rate'

/** A row of `limits`, and the windows that it is tested against. */
export interface LimitRow {
  readonly kind: LimitKind
  /** The key of the row within its company. */
  readonly key: Buffer
  readonly windows: readonly LimitWindow[]
  /** False if the call is only tested against what other calls have counted, as with failed guesses. */
  readonly isCharged: boolean
  /** How long the row is kept; longer than its own windows if apps share it. */
  readonly keepSeconds: number
}

export interface LimitCheck extends LimitRow {
  readonly scope: CountedScope
}

const microseconds = 1000

/** Counted: times in milliseconds, oldest first. Rate: until when it is used, and the interval of a call, in microseconds. */
export type LimitState = readonly number[]

/**
 * What a row has counted by now. A time that lies ahead was written while the database's clock was wrong, and would hold
 * calls back until then.
 */
export function countedByNow(
  { kind, keepSeconds }: Pick<LimitRow, 'kind' | 'keepSeconds'>,
  state: LimitState,
  nowMs: number,
): LimitState {
  const latestMs = nowMs + correctedMs
  if (kind === 'rate') {
    // A rate that is used up is ahead of now by its window, for which its row is kept.
    const latest = (latestMs + keepSeconds * 1000) * microseconds
    return (state[0] ?? 0) > latest ? [] : state
  }
  // The last one is the latest.
  return (state.at(-1) ?? 0) > latestMs ? state.filter((time) => time <= latestMs) : state
}

export type LimitVerdict =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false
      readonly retryAfterSeconds: number
      /** The window with the longest wait. */
      readonly window: LimitWindow
      readonly used: number
    }

/** The most that a counted row holds, and so the highest `max` that can be counted. */
export const maxRemembered = 1_000

export function testLimit(check: LimitRow, state: LimitState, nowMs: number): LimitVerdict {
  let longestMs = 0
  let decisive: LimitWindow | null = null
  for (const window of check.windows) {
    const waitMs =
      check.kind === 'counted' ? countedWaitMs(window, state, nowMs) : rateWaitMs(window, state, nowMs)
    if (waitMs <= longestMs) continue
    longestMs = waitMs
    decisive = window
  }
  if (!decisive) return { isAllowed: true }
  return {
    isAllowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil(longestMs / 1000)),
    window: decisive,
    used: usedOf(check, decisive, state, nowMs),
  }
}

function usedOf({ kind }: LimitRow, window: LimitWindow, state: LimitState, nowMs: number): number {
  if (kind === 'counted') return state.filter((time) => time > nowMs - window.window_s * 1000).length
  return Math.ceil(aheadOf(window, state, nowMs) / intervalOf(window))
}

/** The wait until the call that is `max` calls back has left the window. */
function countedWaitMs({ max, window_s }: LimitWindow, state: LimitState, nowMs: number): number {
  const decisive = state.at(-max)
  return decisive === undefined ? 0 : decisive + window_s * 1000 - nowMs
}

/** The time between two calls in microseconds, rounded up: `max` of them may add up to a bit more than the window. */
const intervalOf = ({ max, window_s }: LimitWindow) => Math.ceil((window_s * 1_000_000) / max)

const rateWaitMs = (window: LimitWindow, state: LimitState, nowMs: number): number =>
  (aheadOf(window, state, nowMs) - (window.max - 1) * intervalOf(window)) / microseconds

/** How far ahead of now a rate is used. Calls that were counted under another maximum take the interval of this one. */
function aheadOf(window: LimitWindow, [until = 0, taken]: LimitState, nowMs: number): number {
  const ahead = Math.max(0, until - nowMs * microseconds)
  const interval = intervalOf(window)
  if (taken === undefined || taken === interval) return ahead
  return Math.min(Math.ceil((ahead / taken) * interval), window.max * interval)
}

export function chargeLimit(check: LimitRow, state: LimitState, nowMs: number): LimitState {
  if (check.kind === 'rate') {
    // A rate has one window per row.
    const [window] = check.windows
    if (!window) return state
    const interval = intervalOf(window)
    return [nowMs * microseconds + aheadOf(window, state, nowMs) + interval, interval]
  }
  const oldestMs = nowMs - check.keepSeconds * 1000
  return [...state.filter((time) => time > oldestMs), nowMs].slice(-maxRemembered)
}
