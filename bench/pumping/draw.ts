/** The table as a drawing: how much of each attack got through, a bar per guard, on a logarithmic scale. */
import { attackWords } from './attacks.ts'
import { type GuardName, guards } from './measure.ts'
import { text } from './svg.ts'
import { percent, type Row, volumes } from './table.ts'

const colours: Readonly<Record<GuardName, string>> = {
  'fixed limits': '#9aa0a6',
  'conversion ≤ 35 %': '#d09a45',
  'conversion debt': '#2f7d6b',
}
const width = 860
const left = 380
const right = 70
const barHeight = 9
const rowHeight = 44
const top = 64
const lowest = 0.1
const names = Object.keys(guards) as GuardName[]

/** The scale goes from 0.1 % to 100 %. */
const lengthOf = (share: number) =>
  (Math.log10(Math.max(share, lowest) / lowest) / Math.log10(100 / lowest)) * (width - left - right)

export function drawTable(rows: readonly Row[]): string {
  const attacks = rows.filter(({ name }) => name in attackWords)
  const height = top + attacks.length * rowHeight + 30
  const grid = [0.1, 1, 10, 100].map((share) => {
    const x = left + lengthOf(share)
    return `<line x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - 24}" stroke="#8884"/>${text(x, height - 8, `${share} %`, 'text-anchor="middle"')}`
  })
  const legend = names.map((name, index) => {
    const x = left + index * 150
    return `<rect x="${x}" y="34" width="10" height="10" fill="${colours[name]}"/>${text(x + 15, 43, name)}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#6b7280">
<title>Share of each attack that still got through, for three guards</title>
${text(12, 22, 'Share of an attack that still got through: less is better', 'font-size="15" font-weight="600"')}
${[...grid, ...legend, ...attacks.flatMap((row, index) => drawRow(row, top + index * rowHeight))].join('\n')}
</svg>
`
}

function drawRow({ name, words, results }: Row, y: number): string[] {
  const bars = names.flatMap((guard, index) => {
    const result = results.get(volumes[0])?.get(guard)
    if (!result) return []
    const sent = result.attackSends - result.attackStopped
    const share = (100 * sent) / result.attackSends
    const barY = y + index * (barHeight + 2)
    const length = Math.max(1, lengthOf(share))
    return [
      `<rect x="${left}" y="${barY}" width="${length.toFixed(1)}" height="${barHeight}" fill="${colours[guard]}"/>`,
      text(left + length + 5, barY + barHeight, `${percent(sent, result.attackSends)} %`, 'font-size="10"'),
    ]
  })
  return [text(12, y + 20, `${name}  ${words}`), ...bars]
}
