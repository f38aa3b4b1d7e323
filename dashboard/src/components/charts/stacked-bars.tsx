import { cx } from '#lib/classes.ts'
import { formatCompact, formatCount } from '#lib/format.ts'
import { Chart } from './chart.tsx'
import { ChartTable } from './chart-table.tsx'

export interface Series {
  readonly name: string
  readonly valueAt: (key: string) => number
}

interface StackedBarsProps {
  readonly label: string
  readonly keys: readonly string[]
  /** The first stands at the bottom. */
  readonly series: readonly Series[]
  readonly axisLabel: (key: string) => string
  readonly titleOf: (key: string) => string
  /** Whether the values are counts, as they are by default. */
  readonly isWhole?: boolean
  readonly formatValue?: (value: number) => string
  readonly formatTick?: (value: number) => string
}

const fills = ['fill-chart-1', 'fill-chart-2', 'fill-chart-3', 'fill-chart-4', 'fill-chart-5'] as const
const swatches = ['bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5'] as const
const colour = <Name,>(colours: readonly [Name, ...Name[]], index: number): Name =>
  colours[index % colours.length] ?? colours[0]

export function StackedBars({
  label,
  keys,
  series,
  axisLabel,
  titleOf,
  isWhole = true,
  formatValue = formatCount,
  formatTick = formatCompact,
}: StackedBarsProps) {
  const totalOf = (key: string) => series.reduce((sum, { valueAt }) => sum + valueAt(key), 0)
  const readingsOf = (key: string) => [
    ...series.map(({ name, valueAt }, index) => ({
      name,
      value: formatValue(valueAt(key)),
      swatch: colour(swatches, index),
    })),
    ...(series.length > 1 ? [{ name: 'Total', value: formatValue(totalOf(key)) }] : []),
  ]
  return (
    <div className="flex flex-col gap-2">
      <Legend names={series.map(({ name }) => name)} />
      <Chart
        label={label}
        keys={keys}
        isWhole={isWhole}
        highest={Math.max(...keys.map(totalOf), 0)}
        axisLabel={axisLabel}
        formatValue={formatTick}
        readingsOf={readingsOf}
        titleOf={titleOf}
      >
        {({ x, y, bottom }, active) =>
          keys.map((key) => (
            <g key={key} opacity={active === null || active === key ? 1 : 0.45}>
              {stack(series, key).map(({ from, to }, index) => (
                <rect
                  key={series[index]?.name}
                  x={x(key) ?? 0}
                  width={x.bandwidth()}
                  y={y(to)}
                  height={Math.max(Math.min(y(from), bottom) - y(to), 0)}
                  className={colour(fills, index)}
                />
              ))}
            </g>
          ))
        }
      </Chart>
      <ChartTable label={label} keys={keys} titleOf={titleOf} readingsOf={readingsOf} />
    </div>
  )
}

function stack(series: readonly Series[], key: string) {
  let from = 0
  return series.map(({ valueAt }) => {
    const to = from + valueAt(key)
    const piece = { from, to }
    from = to
    return piece
  })
}

const Legend = ({ names }: { readonly names: readonly string[] }) => (
  <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
    {names.map((name, index) => (
      <li key={name} className="flex items-center gap-1.5">
        <span
          aria-hidden="true"
          className={cx('size-2 rounded-[2px] forced-color-adjust-none', colour(swatches, index))}
        />
        {name}
      </li>
    ))}
  </ul>
)
