/** Draws sequence diagrams at build time, as code hosts do, so that no script is needed in the browser. */
import { escapeText } from './svg.ts'

const columnWidth = 182
const rowHeight = 46
const top = 64
const edge = 4

interface Step {
  readonly from: string
  readonly to: string
  readonly isDashed: boolean
  readonly text: string
}

/** Null if it is not a sequence diagram. */
export function drawSequence(source: string): string | null {
  const lines = source.split('\n').map((line) => line.trim())
  if (lines[0] !== 'sequenceDiagram') return null
  const names = new Map<string, string>()
  const steps: Step[] = []
  for (const line of lines.slice(1)) {
    const [, id, name] = /^participant (\w+) as (.+)$/.exec(line) ?? []
    if (id && name) names.set(id, name)
    const [, from, arrow, to, text] = /^(\w+) ?(--?>>|--?\)) ?(\w+): (.+)$/.exec(line) ?? []
    if (from && arrow && to && text) steps.push({ from, to, isDashed: arrow.startsWith('--'), text })
  }
  return steps.length > 0 ? draw([...names], steps) : null
}

function draw(names: readonly (readonly [string, string])[], steps: readonly Step[]): string {
  const xOf = (id: string) => {
    const index = names.findIndex(([known]) => known === id)
    return edge + columnWidth / 2 + Math.max(index, 0) * columnWidth
  }
  const width = names.length * columnWidth + 2 * edge
  const height = top + steps.length * rowHeight + edge
  const people = names
    .map(
      ([id, name]) =>
        `<rect class="box" x="${xOf(id) - 70}" y="8" width="140" height="34" rx="6"/><text class="name" x="${xOf(id)}" y="30">${escapeText(name)}</text><line class="life" x1="${xOf(id)}" y1="42" x2="${xOf(id)}" y2="${height}"/>`,
    )
    .join('')
  const arrows = steps.map((step, index) => drawStep(step, top + (index + 0.7) * rowHeight, xOf)).join('')
  const words = steps.map(({ from, to, text }) => `${nameOf(names, from)} to ${nameOf(names, to)}: ${text}`)
  return `<figure class="diagram"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(words.join('. '))}">${people}${arrows}</svg></figure>`
}

const nameOf = (names: readonly (readonly [string, string])[], id: string) =>
  names.find(([known]) => known === id)?.[1] ?? id

function drawStep({ from, to, isDashed, text }: Step, y: number, xOf: (id: string) => number): string {
  const [start, end] = [xOf(from), xOf(to)]
  const label = escapeText(text)
  const line = isDashed ? 'arrow dashed' : 'arrow'
  if (from === to) {
    const path = `M${start} ${y - 14}h26v18h-20`
    return `<path class="${line}" d="${path}"/>${head(start, y + 4, -1)}<text class="step start" x="${start + 34}" y="${y}">${label}</text>`
  }
  const direction = end > start ? 1 : -1
  return `<line class="${line}" x1="${start}" y1="${y}" x2="${end - direction * 7}" y2="${y}"/>${head(end, y, direction)}<text class="step" x="${(start + end) / 2}" y="${y - 8}">${label}</text>`
}

const head = (x: number, y: number, direction: number) =>
  `<path class="head" d="M${x} ${y}l${-direction * 8} -4v8z"/>`
