/** As much of Mermaid's flowcharts and state diagrams as the documents use. */

export interface Part {
  readonly id: string
  /** The lines of the label. */
  readonly label: readonly string[]
  readonly isStart: boolean
}

export interface Arrow {
  readonly from: string
  readonly to: string
  readonly label: readonly string[]
}

export interface Drawing {
  readonly parts: readonly Part[]
  readonly arrows: readonly Arrow[]
  /** Drawn from left to right; otherwise from top to bottom. */
  readonly isAcross: boolean
}

/** Words beside an arrow are broken into lines of about this length. */
const labelLength = 26
const START = '[*]'
const ARROW = /\s*--(?:\s+([^-]+?)\s+--)?>\s*/
const NODE = /^(\w+)(?:\[(.*)\]|\{(.*)\})?$/

/** Null for another kind of diagram, and for one without an arrow. */
export function parseGraph(source: string): Drawing | null {
  const [kind = '', ...lines] = source.split('\n').map((line) => line.trim())
  const isAcross = kind === 'flowchart LR'
  if (!isAcross && kind !== 'stateDiagram-v2') return null
  const labels = new Map<string, readonly string[]>()
  const arrows = lines.filter(Boolean).flatMap((line) => arrowsIn(line, labels))
  if (arrows.length === 0) return null
  const parts = [...labels].map(([id, label]) => ({ id, label, isStart: id === START }))
  return { parts, arrows, isAcross }
}

/** Reads `a & b --> c -- words --> d`, or `a --> b: words`. The labels of the parts are added to `labels`. */
function arrowsIn(line: string, labels: Map<string, readonly string[]>): Arrow[] {
  const [, way = line, words = ''] = /^(.*?-->.*?): (.+)$/.exec(line) ?? []
  const [first = '', ...rest] = way.split(ARROW)
  const arrows: Arrow[] = []
  let froms = partsIn(first, labels)
  // The rest comes in pairs: the words of an arrow, and where it leads.
  for (let index = 0; index < rest.length; index += 2) {
    const tos = partsIn(rest[index + 1] ?? '', labels)
    const label = brokenUp(rest[index] ?? words)
    for (const from of froms) for (const to of tos) arrows.push({ from, to, label })
    froms = tos
  }
  return arrows
}

function partsIn(text: string, labels: Map<string, readonly string[]>): string[] {
  // An & inside brackets is part of a label.
  return text.split(/ & (?![^[]*\])/).flatMap((one) => {
    const spelled = one.trim()
    if (spelled === START) {
      labels.set(START, [])
      return [START]
    }
    const [, id, square, curly] = NODE.exec(spelled) ?? []
    if (id === undefined) throw new Error(`a diagram has a part that cannot be read: ${spelled}`)
    const label = square ?? curly
    if (label !== undefined || !labels.has(id)) labels.set(id, (label ?? id).split('<br/>'))
    return [id]
  })
}

function brokenUp(words: string): string[] {
  const lines: string[] = []
  for (const word of words.split(' ').filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < labelLength)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
