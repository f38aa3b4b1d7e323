import { line } from 'd3-shape'
import { formatWholeShare } from '#lib/format.ts'
import { Chart, type Reading } from './chart.tsx'
import { ChartTable } from './chart-table.tsx'

interface ShareLineProps {
  readonly label: string
  readonly keys: readonly string[]
  /** Between 0 and 1; null where there is nothing to have a share of. */
  readonly valueAt: (key: string) => number | null
  readonly readingsOf: (key: string) => readonly Reading[]
  readonly axisLabel: (key: string) => string
  readonly titleOf: (key: string) => string
}

/** A share over time. The axis always goes up to 100 %: a line that is stretched to the height would exaggerate. */
export function ShareLine({ label, keys, valueAt, readingsOf, axisLabel, titleOf }: ShareLineProps) {
  return (
    <div className="flex flex-col gap-2">
      <Chart
        label={label}
        keys={keys}
        highest={1}
        axisLabel={axisLabel}
        formatValue={formatWholeShare}
        readingsOf={readingsOf}
        titleOf={titleOf}
      >
        {({ x, y }, active) => {
          const middle = (key: string) => (x(key) ?? 0) + x.bandwidth() / 2
          const path = line<string>()
            .defined((key) => valueAt(key) !== null)
            .x(middle)
            .y((key) => y(valueAt(key) ?? 0))
          return (
            <>
              <path
                d={path([...keys]) ?? ''}
                className="fill-none stroke-accent stroke-2"
                strokeLinejoin="round"
              />
              {keys.map((key) => {
                const value = valueAt(key)
                if (value === null) return null
                return (
                  <circle
                    key={key}
                    cx={middle(key)}
                    cy={y(value)}
                    r={active === key ? 4 : 2}
                    className="fill-accent"
                  />
                )
              })}
            </>
          )
        }}
      </Chart>
      <ChartTable label={label} keys={keys} titleOf={titleOf} readingsOf={readingsOf} />
    </div>
  )
}
