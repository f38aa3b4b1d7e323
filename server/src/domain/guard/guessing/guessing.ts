/**
 * The share of wrong codes in an app. Each verification takes few guesses, but many verifications together take many:
 * whoever tries five codes on each of a hundred thousand has a good chance that one is right. Such an attack raises the
 * share, and people are told.
 */
export interface GuessCount {
  readonly guesses: number
  readonly failures: number
}

export interface Watched {
  /** Null while there are no guesses. */
  readonly ratio: number | null
  /** Null while there is no history. */
  readonly usualRatio: number | null
  readonly alarmRatio: number
  readonly isAlarming: boolean
}

/** The time over which `recent` is counted. */
export const windowSeconds = 3_600
/** How many days before the window define the usual share. */
export const usualDays = 7
/** Fewer wrong codes than this in the window are no alarm. */
export const alarmFailures = 200
const alarmTimes = 3
/** A share of wrong codes that always raises an alarm, however high the usual share is. */
const highestAlarmPercent = 90
/** Stands in for the history that a new app does not have. */
const assumed: GuessCount = { guesses: 100, failures: 10 }

export function watchGuesses(recent: GuessCount, before: GuessCount): Watched {
  const usual = {
    guesses: before.guesses + assumed.guesses,
    failures: before.failures + assumed.failures,
  }
  // Compared in whole numbers, so that exactly three times the usual share counts.
  const isUnusual =
    recent.failures * usual.guesses >= alarmTimes * usual.failures * recent.guesses ||
    recent.failures * 100 >= highestAlarmPercent * recent.guesses
  return {
    ratio: recent.guesses === 0 ? null : recent.failures / recent.guesses,
    usualRatio: before.guesses === 0 ? null : usual.failures / usual.guesses,
    alarmRatio: Math.min((alarmTimes * usual.failures) / usual.guesses, highestAlarmPercent / 100),
    isAlarming: recent.failures >= alarmFailures && isUnusual,
  }
}
