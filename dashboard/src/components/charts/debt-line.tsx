import { area, line } from 'd3-shape'
import { Chart, type Reading } from './chart.tsx'
import { ChartTable } from './chart-table.tsx'

interface DebtLineProps {
  readonly label: string
  readonly keys: readonly string[]
  readonly debtAt: (key: string) => number
  /** Null where nothing was owed, so that there was nothing to compare with. */
  readonly thresholdAt: (key: string) => number | null
  readonly formatValue: (value: number) => string
  readonly readingsOf: (key: string) => readonly Reading[]
  readonly axisLabel: (key: string) => string
  readonly titleOf: (key: string) => string
}

/** Debt over time, and the threshold at which it is too much. */
export function DebtLine({
  label,
  keys,
  debtAt,
  thresholdAt,
  formatValue,
  readingsOf,
  axisLabel,
  titleOf,
}: DebtLineProps) {
  const highest = Math.max(...keys.map((key) => Math.max(debtAt(key), thresholdAt(key) ?? 0)), 0)
  return (
    <div className="flex flex-col gap-2">
      <Chart
        label={label}
        keys={keys}
        highest={highest}
        axisLabel={axisLabel}
        formatValue={formatValue}
        readingsOf={readingsOf}
        titleOf={titleOf}
      >
        {({ x, y, bottom }, active) => {
          const middle = (key: string) => (x(key) ?? 0) + x.bandwidth() / 2
          const debt = line<string>()
            .x(middle)
            .y((key) => y(debtAt(key)))
          const below = area<string>()
            .x(middle)
            .y0(bottom)
            .y1((key) => y(debtAt(key)))
          const threshold = line<string>()
            .defined((key) => thresholdAt(key) !== null)
            .x(middle)
            .y((key) => y(thresholdAt(key) ?? 0))
          const all = [...keys]
          return (
            <>
              <path d={below(all) ?? ''} className="fill-accent-soft" />
              <path
                d={threshold(all) ?? ''}
                className="fill-none stroke-bad stroke-[1.5]"
                strokeDasharray="5 4"
              />
              <path d={debt(all) ?? ''} className="fill-none stroke-accent stroke-2" strokeLinejoin="round" />
              {active !== null && (
                <circle cx={middle(active)} cy={y(debtAt(active))} r={4} className="fill-accent" />
              )}
            </>
          )
        }}
      </Chart>
      <ChartTable label={label} keys={keys} titleOf={titleOf} readingsOf={readingsOf} />
    </div>
  )
}
