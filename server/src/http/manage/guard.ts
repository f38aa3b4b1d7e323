/** What the guard sees of an app: its spending and its caps, its wrong codes and how many are usual. */
import type { GuessingAnswer, SpendAnswer } from '@countersign/contract'
import {
  type Cap,
  formatMicros,
  lookUpSpend,
  periodMs,
  type ReadPrices,
  type SpendView,
} from '../../domain/billing/index.ts'
import { alarmFailures, type GuessingView, lookUpGuessing, windowSeconds } from '../../domain/guard/index.ts'
import type { Database } from '../../platform/database.ts'
import { type Route, route } from '../route.ts'

interface Dependencies {
  readonly database: Database
  readonly prices: ReadPrices
}

export function guardRoutes(dependencies: Dependencies): Route[] {
  return [
    route('getSpend', async ({ scope }) => spendAnswer(await lookUpSpend(dependencies, scope.app))),
    route('getGuessing', async ({ scope }) => guessingAnswer(await lookUpGuessing(dependencies, scope.app))),
  ]
}

const timeOf = (timeMs: number) => new Date(timeMs).toISOString()
const capAnswer = ({ micros, source }: Cap) => ({
  cap: micros === null ? null : formatMicros(micros),
  source,
})

const spendAnswer = ({ currency, dayStartMs, hourStartMs, countries, hour }: SpendView): SpendAnswer => ({
  currency,
  day: {
    since: timeOf(dayStartMs),
    until: timeOf(dayStartMs + periodMs.day),
    countries: countries.map(({ country, spentMicros, approvedMicros, cap }) => ({
      country,
      spent: formatMicros(spentMicros),
      approved: formatMicros(approvedMicros),
      ...capAnswer(cap),
    })),
  },
  hour: {
    since: timeOf(hourStartMs),
    until: timeOf(hourStartMs + periodMs.hour),
    spent: formatMicros(hour.spentMicros),
    approved: formatMicros(hour.approvedMicros),
    unverified: formatMicros(hour.unverifiedMicros),
    ...capAnswer(hour.cap),
  },
})

const guessingAnswer = ({ recent, ratio, usualRatio, alarmRatio, alarm }: GuessingView): GuessingAnswer => ({
  window_s: windowSeconds,
  guesses: recent.guesses,
  failures: recent.failures,
  ratio,
  usual_ratio: usualRatio,
  alarm_ratio: alarmRatio,
  alarm_failures: alarmFailures,
  alarmed_since: alarm?.raisedAt.toISOString() ?? null,
  alarmed_until: alarm?.expiresAt.toISOString() ?? null,
})
