/** Answers “what will I pay this month?”. Months are in UTC, like the days that the service counts. */
import { addAmounts } from '#lib/amount.ts'
import type { AnswerOf } from '#lib/client.ts'

type Row = Pick<AnswerOf<'getStats'>['rows'][number], 'key' | 'messages' | 'cost'>
type Spend = Pick<AnswerOf<'getCompanySpend'>, 'by_day' | 'per_day' | 'since'>

export interface ThisMonth {
  /** Only thirty days are known: on the 31st the first of the month is no longer among them. */
  readonly label: 'This month' | 'Last 30 days'
  readonly spent: string
  /** The estimate for the whole month, at the pace of the last days; null if too little is known. */
  readonly expected: number | null
}

const dayMs = 86_400_000

export function thisMonth({ by_day: days, per_day: perDay, since }: Spend, nowMs: number): ThisMonth {
  const firstMs = firstOfMonth(nowMs)
  const isWhole = days.some(({ day }) => Date.parse(day) === firstMs)
  const counted = isWhole ? days.filter(({ day }) => Date.parse(day) >= firstMs) : days
  const spent = counted.reduce((sum, one) => addAmounts(sum, one.spent), '0')
  if (!isWhole) return { label: 'Last 30 days', spent, expected: null }
  const hasPace = Number(perDay) > 0 && nowMs - Date.parse(since) >= dayMs
  const daysLeft = (firstOfMonth(nowMs, 1) - nowMs) / dayMs
  return {
    label: 'This month',
    spent,
    expected: hasPace ? Number(spent) + daysLeft * Number(perDay) : null,
  }
}

function firstOfMonth(nowMs: number, monthsLater = 0): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater)
}

/** With its end: where the browser's clock is ahead of the service's, a range without one would begin after it ends. */
export const monthOf = (nowMs: number): { readonly from: string; readonly to: string } => ({
  from: new Date(firstOfMonth(nowMs)).toISOString(),
  to: new Date(firstOfMonth(nowMs, 1)).toISOString(),
})

export interface CountrySpend {
  /** Null where a recipient has none: an email address. */
  readonly country: string | null
  readonly messages: number
  readonly spent: string
}

/** The figures of several apps together, the dearest country first. */
export function byCountry(apps: readonly { readonly rows: readonly Row[] }[]): readonly CountrySpend[] {
  const sums = new Map<string, CountrySpend>()
  for (const { key, messages, cost } of apps.flatMap(({ rows }) => rows)) {
    const country = /^[A-Z]{2}$/.test(key) ? key : null
    const before = sums.get(key)
    sums.set(key, {
      country,
      messages: messages + (before?.messages ?? 0),
      spent: addAmounts(cost, before?.spent ?? '0'),
    })
  }
  return [...sums.values()].sort((one, other) => Number(other.spent) - Number(one.spent))
}
