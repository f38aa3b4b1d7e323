/** The frame of a chart over time: axes, and one figure at a time by pointer or arrow keys. */
import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { useWidth } from './use-width.ts'

export interface Reading {
  readonly name: string
  readonly value: string
  /** A colour of the chart, as a class for the background. */
  readonly swatch?: string
}

interface Scales {
  readonly x: ScaleBand<string>
  readonly y: ScaleLinear<number, number>
  readonly bottom: number
}

interface ChartProps {
  readonly label: string
  /** Hours or days, oldest first. */
  readonly keys: readonly string[]
  readonly highest: number
  /** Whether the values are counts, so that the axis has only whole numbers. */
  readonly isWhole?: boolean
  readonly axisLabel: (key: string) => string
  readonly formatValue: (value: number) => string
  /** The figures of one hour or day, shown and read out. */
  readonly readingsOf: (key: string) => readonly Reading[]
  readonly titleOf: (key: string) => string
  readonly children: (scales: Scales, active: string | null) => ReactNode
}

const height = 200
const edges = { top: 10, right: 4, bottom: 22, left: 40 }
const ticks = 4
const leastLabelGap = 62
/** Keeps a label at the edge inside the drawing. */
const halfLabel = 18

export function Chart(props: ChartProps) {
  const { keys, highest } = props
  const [frame, width] = useWidth<HTMLDivElement>()
  const [active, setActive] = useState<number | null>(null)
  const x = scaleBand([...keys], [edges.left, Math.max(width - edges.right, edges.left + 1)]).paddingInner(
    0.28,
  )
  const bottom = height - edges.bottom
  const y = scaleLinear([0, highest || 1], [bottom, edges.top]).nice(ticks)
  const activeKey = active === null ? null : (keys[active] ?? null)
  return (
    <div ref={frame} className="relative" style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} aria-hidden="true" className="block overflow-visible">
          <ValueAxis y={y} width={width} isWhole={props.isWhole ?? false} format={props.formatValue} />
          <TimeAxis x={x} keys={keys} label={props.axisLabel} />
          {props.children({ x, y, bottom }, activeKey)}
        </svg>
      )}
      <Picker {...props} x={x} active={active} onPick={setActive} />
      {activeKey !== null && <Balloon {...props} activeKey={activeKey} x={x} width={width} />}
    </div>
  )
}

const ticksOf = (y: ScaleLinear<number, number>, isWhole: boolean): readonly number[] =>
  isWhole ? y.ticks(ticks).filter(Number.isInteger) : y.ticks(ticks)

interface ValueAxisProps {
  readonly y: ScaleLinear<number, number>
  readonly width: number
  readonly isWhole: boolean
  readonly format: (value: number) => string
}

const ValueAxis = ({ y, width, isWhole, format }: ValueAxisProps) => (
  <g>
    {ticksOf(y, isWhole).map((tick) => (
      <g key={tick} transform={`translate(0 ${y(tick)})`}>
        <line x1={edges.left} x2={width} className="stroke-line" />
        <text x={edges.left - 8} dy="0.32em" className="figures fill-faint text-[11px]" textAnchor="end">
          {format(tick)}
        </text>
      </g>
    ))}
  </g>
)

interface TimeAxisProps {
  readonly x: ScaleBand<string>
  readonly keys: readonly string[]
  readonly label: (key: string) => string
}

const TimeAxis = ({ x, keys, label }: TimeAxisProps) => {
  const every = Math.max(1, Math.ceil(leastLabelGap / Math.max(x.step(), 1)))
  const rightmost = (x.range()[1] ?? 0) - halfLabel
  return (
    <g>
      {keys.map((key, index) =>
        (keys.length - 1 - index) % every === 0 ? (
          <text
            key={key}
            x={Math.min((x(key) ?? 0) + x.bandwidth() / 2, rightmost)}
            y={height - 4}
            textAnchor="middle"
            className="figures fill-faint text-[11px]"
          >
            {label(key)}
          </text>
        ) : null,
      )}
    </g>
  )
}

interface PickerProps extends ChartProps {
  readonly x: ScaleBand<string>
  readonly active: number | null
  readonly onPick: (index: number | null) => void
}

/** A slider over time: arrow keys go from one figure to the next, and each is read out. */
function Picker({ label, keys, readingsOf, titleOf, x, active, onPick }: PickerProps) {
  const last = keys.length - 1
  const at = active ?? last
  const key = keys[at]
  const pick = (index: number) => onPick(Math.min(last, Math.max(0, index)))
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: last,
  }
  const onKey = (event: KeyboardEvent) => {
    const next = steps[event.key]
    if (event.key === 'Escape') onPick(null)
    if (next === undefined) return
    event.preventDefault()
    pick(active === null ? last : next)
  }
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left
    pick(Math.floor((left - edges.left) / Math.max(x.step(), 1)))
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={Math.max(at, 0)}
      aria-valuetext={key === undefined ? 'No figures' : spoken(titleOf(key), readingsOf(key))}
      className="absolute inset-0 touch-pan-y rounded-sm"
      onKeyDown={onKey}
      onFocus={() => onPick(last)}
      onBlur={() => onPick(null)}
      onPointerMove={onPointer}
      onPointerDown={onPointer}
      onPointerLeave={() => onPick(null)}
    />
  )
}

const spoken = (title: string, readings: readonly Reading[]) =>
  `${title}: ${readings.map(({ name, value }) => `${name} ${value}`).join(', ')}`

interface BalloonProps extends ChartProps {
  readonly activeKey: string
  readonly x: ScaleBand<string>
  readonly width: number
}

const Balloon = ({ activeKey, x, width, titleOf, readingsOf }: BalloonProps) => {
  const middle = (x(activeKey) ?? 0) + x.bandwidth() / 2
  const isRight = middle > width / 2
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-1 z-10 min-w-36 rounded-md border bg-surface px-2.5 py-2 text-xs shadow-pop"
      style={isRight ? { right: width - middle + 12 } : { left: middle + 12 }}
    >
      <p className="mb-1 font-medium">{titleOf(activeKey)}</p>
      {readingsOf(activeKey).map(({ name, value, swatch }) => (
        <p key={name} className="flex items-center gap-1.5 whitespace-nowrap">
          {swatch && <span className={cx('size-2 rounded-[2px] forced-color-adjust-none', swatch)} />}
          <span className="flex-1 text-muted">{name}</span>
          <span className="figures ml-3">{value}</span>
        </p>
      ))}
    </div>
  )
}
