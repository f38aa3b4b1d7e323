/** Answers “what will I pay this month?”. Months are in UTC, like the days that the service counts. */
import { addAmounts } from '#lib/amount.ts'
import type { AnswerOf } from '#lib/client.ts'

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
  const now = new Date(nowMs)
  const firstMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const isWhole = days.some(({ day }) => Date.parse(day) === firstMs)
  const counted = isWhole ? days.filter(({ day }) => Date.parse(day) >= firstMs) : days
  const spent = counted.reduce((sum, one) => addAmounts(sum, one.spent), '0')
  if (!isWhole) return { label: 'Last 30 days', spent, expected: null }
  const hasPace = Number(perDay) > 0 && nowMs - Date.parse(since) >= dayMs
  const daysLeft = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - nowMs) / dayMs
  return {
    label: 'This month',
    spent,
    expected: hasPace ? Number(spent) + daysLeft * Number(perDay) : null,
  }
}
