/** A backtest comes in pages, whose figures are added up here. */
import type { BacktestAnswer } from '@countersign/contract'
import { addAmounts } from '#lib/amount.ts'
import { lengthOf, type Period } from '#lib/period.ts'

const mostExamples = 20

/** Up to this moment, not in whole hours or days as figures are. */
export const rangeOf = (period: Period, nowMs: number) => ({
  from: new Date(nowMs - lengthOf(period)).toISOString(),
  to: new Date(nowMs).toISOString(),
})

/** How much of the period has been looked at, from 0 to 1. */
export function progressOf(
  { looked_to }: BacktestAnswer,
  { from, to }: { from: string; to: string },
): number {
  const whole = Date.parse(to) - Date.parse(from)
  return Math.min(1, Math.max(0, (Date.parse(looked_to) - Date.parse(from)) / whole))
}

export function addPages(one: BacktestAnswer, next: BacktestAnswer): BacktestAnswer {
  return {
    ...next,
    sends: one.sends + next.sends,
    ...addFigures(one, next),
    people: one.people + next.people,
    cost_saved: addAmounts(one.cost_saved, next.cost_saved),
    unknown: one.unknown + next.unknown,
    unknown_conditions: [...new Set([...one.unknown_conditions, ...next.unknown_conditions])],
    rules: one.rules.map((rule, index) => {
      const other = next.rules[index]
      return other ? { ...rule, matched: rule.matched + other.matched, ...addFigures(rule, other) } : rule
    }),
    examples: [...one.examples, ...next.examples].slice(0, mostExamples),
  }
}

type Figures = Pick<
  BacktestAnswer,
  'would_refuse' | 'would_reroute' | 'would_hold' | 'would_pass' | 'approved_among_them'
>

const addFigures = (one: Figures, other: Figures): Figures => ({
  would_refuse: one.would_refuse + other.would_refuse,
  would_reroute: one.would_reroute + other.would_reroute,
  would_hold: one.would_hold + other.would_hold,
  would_pass: one.would_pass + other.would_pass,
  approved_among_them: one.approved_among_them + other.approved_among_them,
})
