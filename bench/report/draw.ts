/** Draws rates as bars on a logarithmic scale. */
import type { Row } from '../scenario.ts'
import { figureOf } from './figure.ts'

const width = 960
const left = 480
const right = 90
const top = 52
const rowHeight = 24
const barHeight = 14
const colours = { ours: '#2f7d6b', reference: '#9aa0a6' }
const references = ['no-op', 'inserts', 'better-auth', 'otpgateway']

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '')
const words = (x: number, y: number, content: string, extra = '') =>
  `<text x="${x}" y="${y}" ${extra}>${escaped(content)}</text>`

export function drawRates(all: readonly Row[]): string {
  const rows = all.filter(({ unit, value }) => unit === '/s' && value > 0)
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...rows.map(({ value }) => value))))
  const highest = 10 ** Math.ceil(Math.log10(Math.max(...rows.map(({ value }) => value))))
  const lengthOf = (value: number) =>
    (Math.log10(value / lowest) / Math.log10(highest / lowest)) * (width - left - right)
  const height = top + rows.length * rowHeight + 28
  const grid: string[] = []
  for (let rate = lowest; rate <= highest; rate *= 10) {
    const x = left + lengthOf(rate)
    grid.push(
      `<line x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - 24}" stroke="#8884"/>`,
      words(x, height - 8, `${rate.toLocaleString('en-US')}/s`, 'text-anchor="middle"'),
    )
  }
  const bars = rows.flatMap((row, index) => {
    const y = top + index * rowHeight
    const length = Math.max(1, lengthOf(row.value)).toFixed(1)
    const isReference = references.some((name) => row.id.startsWith(name))
    return [
      words(12, y + barHeight - 2, row.what),
      `<rect x="${left}" y="${y}" width="${length}" height="${barHeight}" fill="${isReference ? colours.reference : colours.ours}"/>`,
      words(left + Number(length) + 6, y + barHeight - 2, figureOf(row), 'font-size="11"'),
    ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#6b7280">
<title>Calls a second on one machine</title>
${words(12, 22, 'Calls a second, callers on the same machine; grey is what it is compared with', 'font-size="15" font-weight="600"')}
${[...grid, ...bars].join('\n')}
</svg>
`
}
