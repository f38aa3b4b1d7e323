import type { RefusalStatsAnswer } from '@countersign/contract'
import { ruleName } from '@countersign/contract/words'
import { type Series, StackedBars } from '#components/charts/stacked-bars.tsx'
import { axisLabel, type Span, spanTitle } from '#lib/period.ts'
import { refusedPlaceName } from '../lib/refused-places.ts'

/** How many rules or places have a colour of their own; all others share one. */
const mostSeries = 4

interface HistoryChartProps {
  readonly stats: RefusalStatsAnswer
  readonly span: Span
  readonly by: 'rule' | 'place'
}

export function HistoryChart({ stats, span, by }: HistoryChartProps) {
  const all = by === 'rule' ? seriesOfRules(stats) : seriesOfPlaces(stats)
  const total = valuesAt(stats.rows)
  const shown = all.slice(0, all.length > mostSeries + 1 ? mostSeries : mostSeries + 1)
  const restAt = (key: string) => total(key) - shown.reduce((sum, { valueAt }) => sum + valueAt(key), 0)
  const hasRest = span.keys.some((key) => restAt(key) > 0)
  return (
    <StackedBars
      label={by === 'rule' ? 'Refused by rule' : 'Refused by place'}
      keys={span.keys}
      series={[...shown, ...(hasRest ? [{ name: 'All others', valueAt: restAt }] : [])]}
      axisLabel={(key) => axisLabel(span, key)}
      titleOf={(key) => spanTitle(span, key)}
    />
  )
}

interface Point {
  readonly starts_at: string
  readonly count: number
}

/** How many there were in an hour or a day. */
function valuesAt(points: readonly Point[]): Series['valueAt'] {
  const counts = new Map<number, number>()
  for (const { starts_at, count } of points) {
    const atMs = Date.parse(starts_at)
    counts.set(atMs, (counts.get(atMs) ?? 0) + count)
  }
  return (key) => counts.get(Date.parse(key)) ?? 0
}

const seriesOfRules = ({ rules, rows }: RefusalStatsAnswer): Series[] =>
  rules.map(({ rule }) => ({
    name: ruleName(rule),
    valueAt: valuesAt(rows.filter((row) => row.rule === rule)),
  }))

const seriesOfPlaces = ({ places }: RefusalStatsAnswer): Series[] =>
  places.map((place) => ({ name: refusedPlaceName(place), valueAt: valuesAt(place.points) }))
