/** What places owe in the first half hour of an attack, and of a campaign among honest people: two drawings in one. */
import { levelRules, type PlaceKey } from '../../server/src/domain/guard/pumping/index.ts'
import { createEngine, type Decider, msOf, placeOfSend } from './engine.ts'
import { play } from './replay.ts'
import { makeScenario, type ScenarioName } from './scenario.ts'
import { escaped, text } from './svg.ts'
import type { Send } from './traffic.ts'

const perDay = 4_000
const seed = 101
const minutes = 30
const beforeMinutes = 5
const stepSeconds = 5

const width = 860
const left = 56
const right = 190
const panelHeight = 210
const barsHeight = 46
const panelGap = 64
const top = 58
const colours = { country: '#2f7d6b', carrier: '#7a5ea8', range: '#c2603f' }

interface Line {
  readonly name: string
  readonly colour: string
  readonly key: PlaceKey
  readonly closesAt: number
}

interface Recorded {
  readonly title: string
  readonly from: number
  readonly lines: readonly (Line & {
    readonly points: readonly (readonly [minute: number, debt: number])[]
  })[]
  /** Sends of the attack or campaign itself, minute by minute. */
  readonly passed: readonly number[]
  readonly stopped: readonly number[]
}

export function drawDebts(): string {
  const panels = [
    record(
      'An attack at home: 30 sends a minute inside one busy carrier; nobody types a code',
      'A5',
      'attack',
    ),
    record(
      'A campaign at home: a tenth of the day’s people within a quarter of an hour',
      'campaign',
      'campaign',
    ),
  ]
  const height = top + panels.length * (panelHeight + barsHeight + panelGap)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#6b7280">
<title>${escaped('What places owe over time, for an attack and for a campaign of honest people')}</title>
${text(12, 22, 'What places owe over time', 'font-size="15" font-weight="600"')}
${panels.map((panel, index) => drawPanel(panel, top + index * (panelHeight + barsHeight + panelGap))).join('\n')}
</svg>
`
}

function record(title: string, scenario: ScenarioName, label: string): Recorded {
  const { sends, from } = makeScenario(scenario, perDay, seed)
  const first = sends.find((send) => send.label === label)
  if (!first) throw new Error('nothing to draw')
  const engine = createEngine()
  const lines = linesOf(first)
  const points = lines.map((): [number, number][] => [])
  let next = from - beforeMinutes * 60
  const sampled: Decider = {
    ...engine,
    decide: (send) => {
      for (; next <= send.t && next <= from + minutes * 60; next += stepSeconds) {
        for (const [index, { key }] of lines.entries())
          points[index]?.push([(next - from) / 60, engine.pumping.debtAt(key, msOf(next))])
      }
      return engine.decide(send)
    },
  }
  const played = play(sends, sampled).filter(({ send }) => send.label === label)
  const count = (minute: number, isStopped: boolean) =>
    played.filter(
      ({ send, stoppedBy }) =>
        Math.floor((send.t - from) / 60) === minute && (stoppedBy !== null) === isStopped,
    ).length
  const all = Array.from({ length: minutes }, (_, minute) => minute)
  return {
    title,
    from,
    lines: lines.map((line, index) => ({ ...line, points: points[index] ?? [] })),
    passed: all.map((minute) => count(minute, false)),
    stopped: all.map((minute) => count(minute, true)),
  }
}

function linesOf(send: Send): Line[] {
  const { ranges, home } = placeOfSend(send)
  const { carrier, country } = home
  const widest = ranges.at(-1)
  return [
    {
      name: `country ${country.label}`,
      colour: colours.country,
      key: country,
      closesAt: levelRules.country.block,
    },
    {
      name: `carrier ${carrier.label}`,
      colour: colours.carrier,
      key: carrier,
      closesAt: levelRules.carrier.block,
    },
    ...(widest
      ? [{ name: '10,000 numbers', colour: colours.range, key: widest, closesAt: levelRules.r10k.block }]
      : []),
  ]
}

const xOf = (minute: number) =>
  left + ((minute + beforeMinutes) / (minutes + beforeMinutes)) * (width - left - right)
const highest = 34
const lowest = -8
const yOf = (y: number, debt: number) =>
  y + ((highest - Math.min(highest, Math.max(lowest, debt))) / (highest - lowest)) * panelHeight

function drawPanel({ title, lines, passed, stopped }: Recorded, y: number): string {
  const end = width - right
  const grid = [0, 10, 20, 30].map(
    (debt) =>
      `<line x1="${left}" y1="${yOf(y, debt)}" x2="${end}" y2="${yOf(y, debt)}" stroke="#8884"/>${text(left - 8, yOf(y, debt) + 4, String(debt), 'text-anchor="end"')}`,
  )
  const labels = spaced(lines.map(({ points }) => yOf(y, points.at(-1)?.[1] ?? 0) + 4))
  const drawn = lines.flatMap(({ name, colour, closesAt, points }, index) => {
    const path = points
      .map(([minute, debt]) => `${xOf(minute).toFixed(1)},${yOf(y, debt).toFixed(1)}`)
      .join(' ')
    const limitY = yOf(y, closesAt)
    return [
      `<line x1="${left}" y1="${limitY}" x2="${end}" y2="${limitY}" stroke="${colour}" stroke-dasharray="2 5"/>`,
      text(end + 6, limitY + 4, `${name} closes`, `fill="${colour}" font-size="11"`),
      `<polyline fill="none" stroke="${colour}" stroke-width="1.8" points="${path}"/>`,
      text(end + 6, labels[index] ?? 0, name, `fill="${colour}" font-weight="600"`),
    ]
  })
  return [
    text(12, y - 14, title, 'font-weight="600"'),
    ...grid,
    ...drawn,
    drawBars(passed, stopped, y + panelHeight),
  ].join('\n')
}

const lineHeight = 13

/** Moves labels down where two would overlap. */
function spaced(wanted: readonly number[]): number[] {
  const places = [...wanted]
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  let lowestFree = Number.NEGATIVE_INFINITY
  for (const index of order) {
    const place = Math.max(wanted[index] ?? 0, lowestFree)
    places[index] = place
    lowestFree = place + lineHeight
  }
  return places
}

function drawBars(passed: readonly number[], stopped: readonly number[], y: number): string {
  const most = Math.max(...passed.map((count, index) => count + (stopped[index] ?? 0)), 1)
  const base = y + barsHeight
  const scale = (barsHeight - 14) / most
  const barWidth = xOf(1) - xOf(0) - 2
  const bars = passed.map((count, minute) => {
    const held = stopped[minute] ?? 0
    const x = xOf(minute) + 1
    return (
      `<rect x="${x.toFixed(1)}" y="${(base - count * scale).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${(count * scale).toFixed(1)}" fill="#2f7d6b"/>` +
      `<rect x="${x.toFixed(1)}" y="${(base - (count + held) * scale).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${(held * scale).toFixed(1)}" fill="#c2603f" opacity="0.55"/>`
    )
  })
  const ticks = [0, 5, 10, 15, 20, 25, 30].map((minute) =>
    text(
      xOf(minute),
      base + 16,
      minute === 0 ? 'begins' : `${minute} min`,
      'text-anchor="middle" font-size="11"',
    ),
  )
  const words = [
    text(width - right + 6, base - 18, 'let through, a minute', 'fill="#2f7d6b" font-size="11"'),
    text(width - right + 6, base - 4, 'stopped, a minute', 'fill="#c2603f" font-size="11"'),
  ]
  return [...bars, ...ticks, ...words].join('\n')
}
