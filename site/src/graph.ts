/** Diagrams of parts and states, laid out and drawn at build time. */
import { Graph, layout } from '@dagrejs/dagre'
import { type Arrow, type Drawing, type Part, parseGraph } from './graph-source.ts'
import { escapeText } from './svg.ts'

const characterWidth = 8
const labelCharacterWidth = 6.6
const lineHeight = 17
const padding = 12
const edge = 6
/** A chain of more parts than this continues in the next row: in one row it would be too small to read. */
const mostInRow = 6
const rowGap = 44
const partGap = 26

interface Point {
  readonly x: number
  readonly y: number
}
interface Placed extends Part, Point {
  readonly width: number
  readonly height: number
}
interface Line extends Arrow {
  readonly points: readonly Point[]
  /** Where the label is drawn. */
  readonly at: Point
}

/** Null if it is not a flowchart or a state diagram. */
export function drawGraph(source: string): string | null {
  const drawing = parseGraph(source)
  if (!drawing) return null
  const { parts, lines } = isLongChain(drawing) ? inRows(drawing) : laidOut(drawing)
  return frame(drawing, parts, lines)
}

const isLongChain = ({ parts, arrows }: Drawing) =>
  parts.length > mostInRow &&
  arrows.length === parts.length - 1 &&
  arrows.every(({ from, to, label }, index) => {
    return label.length === 0 && from === parts[index]?.id && to === parts[index + 1]?.id
  })

const sizeOf = ({ label, isStart }: Part) => ({
  width: isStart ? 14 : longest(label) * characterWidth + 2 * padding,
  height: isStart ? 14 : label.length * lineHeight + padding,
})

function laidOut({ parts, arrows, isAcross }: Drawing): { parts: Placed[]; lines: Line[] } {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: isAcross ? 'LR' : 'TB', nodesep: 34, ranksep: isAcross ? 48 : 38, edgesep: 18 })
  for (const part of parts) graph.setNode(part.id, sizeOf(part))
  for (const [index, { from, to, label }] of arrows.entries()) {
    if (from === to) continue
    const width = longest(label) * labelCharacterWidth
    graph.setEdge(from, to, { width, height: label.length * lineHeight, labelpos: 'c' }, String(index))
  }
  layout(graph)
  const placed = parts.map((part) => ({ ...part, ...sizeOf(part), ...pointOf(graph.node(part.id)) }))
  return {
    parts: placed,
    lines: arrows.map((arrow, index) => {
      const own = arrow.from === arrow.to && placed.find(({ id }) => id === arrow.from)
      if (own) return loopAt(own, arrow)
      const { points = [], x, y } = graph.edge(arrow.from, arrow.to, String(index))
      return { ...arrow, points: points.map(pointOf), at: pointOf({ x, y }) }
    }),
  }
}

const loopWidth = 22

/** An arrow from a part to itself: out of its right side and back, with the label to the right. */
function loopAt({ x, y, width }: Placed, arrow: Arrow): Line {
  const [start, out] = [x + width / 2, x + width / 2 + loopWidth]
  const half = (longest(arrow.label) * labelCharacterWidth) / 2
  return {
    ...arrow,
    points: [
      { x: start, y: y - 9 },
      { x: out, y: y - 9 },
      { x: out, y: y + 3 },
      { x: start, y: y + 3 },
    ],
    at: { x: out + 8 + half, y: y - 9 },
  }
}

const longest = (lines: readonly string[]) => Math.max(0, ...lines.map((line) => line.length))

const pointOf = ({ x = 0, y = 0 }: { readonly x?: number; readonly y?: number }): Point => ({ x, y })

function inRows({ parts, arrows }: Drawing): { parts: Placed[]; lines: Line[] } {
  const placed: Placed[] = []
  let right = 0
  for (const [index, part] of parts.entries()) {
    const size = sizeOf(part)
    if (index % mostInRow === 0) right = 0
    const y = Math.floor(index / mostInRow) * (size.height + rowGap) + size.height / 2
    placed.push({ ...part, ...size, x: right + size.width / 2, y })
    right += size.width + partGap
  }
  const lines = arrows.flatMap((arrow, index) => {
    const [from, to] = [placed[index], placed[index + 1]]
    return from && to ? [{ ...arrow, points: wayBetween(from, to), at: { x: 0, y: 0 } }] : []
  })
  return { parts: placed, lines }
}

/** A straight line within a row; to the next row, through the gap between them. */
function wayBetween(from: Placed, to: Placed): Point[] {
  const start = { x: from.x + from.width / 2, y: from.y }
  if (to.y === from.y) return [start, { x: to.x - to.width / 2, y: to.y }]
  const middle = (from.y + from.height / 2 + to.y - to.height / 2) / 2
  const out = { x: start.x + 14, y: start.y }
  return [start, out, { ...out, y: middle }, { x: to.x, y: middle }, { x: to.x, y: to.y - to.height / 2 }]
}

function frame(drawing: Drawing, parts: readonly Placed[], lines: readonly Line[]): string {
  const xs = [
    ...parts.flatMap(({ x, width }) => [x - width / 2, x + width / 2]),
    ...lines.flatMap(({ points, at, label }) => {
      const half = (longest(label) * labelCharacterWidth) / 2
      return [...points.map(({ x }) => x), at.x - half, at.x + half]
    }),
  ]
  const ys = [
    ...parts.flatMap(({ y, height }) => [y - height / 2, y + height / 2]),
    ...lines.flatMap(({ points }) => points.map(({ y }) => y)),
  ]
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge]
  const [width, height] = [Math.max(...xs) + edge - left, Math.max(...ys) + edge - top].map(Math.ceil)
  const inside = [...lines.map(drawLine), ...parts.map(drawPart), ...lines.map(drawLabel)].join('')
  return `<figure class="diagram"><svg viewBox="${rounded(left)} ${rounded(top)} ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(inWords(drawing))}">${inside}</svg></figure>`
}

const rounded = (value: number) => Math.round(value * 10) / 10

function drawPart({ x, y, width, height, label, isStart }: Placed): string {
  if (isStart) return `<circle class="head" cx="${rounded(x)}" cy="${rounded(y)}" r="6"/>`
  const box = `<rect class="box" x="${rounded(x - width / 2)}" y="${rounded(y - height / 2)}" width="${rounded(width)}" height="${rounded(height)}" rx="6"/>`
  return box + drawWords('name', { x, y }, label)
}

function drawLine({ points }: Line): string {
  const path = points
    .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`)
    .join('')
  const [before, end] = points.slice(-2)
  if (!before || !end) return ''
  const degrees = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI
  const head = `<path class="head" d="M0 0l-8 -4v8z" transform="translate(${rounded(end.x)} ${rounded(end.y)}) rotate(${rounded(degrees)})"/>`
  return `<path class="arrow" d="${path}"/>${head}`
}

const drawLabel = ({ at, label }: Line) => (label.length === 0 ? '' : drawWords('step', at, label))

const drawWords = (kind: 'name' | 'step', { x, y }: Point, lines: readonly string[]) =>
  lines
    .map((line, index) => {
      const baseline = y + 4.5 + (index - (lines.length - 1) / 2) * lineHeight
      return `<text class="${kind}" x="${rounded(x)}" y="${rounded(baseline)}">${escapeText(line)}</text>`
    })
    .join('')

/** The description of the diagram for screen readers. */
function inWords({ parts, arrows }: Drawing): string {
  const names = new Map(parts.map(({ id, label, isStart }) => [id, isStart ? 'the start' : label.join(' ')]))
  return arrows
    .map(({ from, to, label }) => {
      const words = label.length === 0 ? '' : `: ${label.join(' ')}`
      return `${names.get(from)} to ${names.get(to)}${words}`
    })
    .join('. ')
}
