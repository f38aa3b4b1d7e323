/** Writes the measured rows into docs/performance.md, between its markers. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { drawRates } from './draw.ts'
import { limitsText } from './limits.ts'
import { sizingTable } from './sizing.ts'
import { markdownTable, type Result } from './table.ts'

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
const drawing = fileURLToPath(new URL('../../docs/performance.svg', import.meta.url))

export async function writeDocs(result: Result): Promise<void> {
  const text = await readFile(page, 'utf8')
  const parts = {
    measured: `${markdownTable(result)}\n\n![Calls a second](performance.svg)`,
    limits: limitsText(result.rows),
    sizing: sizingTable(result.rows),
  }
  const written = Object.entries(parts).reduce(
    (page, [name, content]) => replaceBetween(page, name, content),
    text,
  )
  await writeFile(page, written)
  await writeFile(drawing, drawRates(result.rows))
}

function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has lost its markers "${name}"`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Replaces one part of the page, between its markers. */
export async function replaceInDocs(name: string, content: string): Promise<void> {
  await writeFile(page, replaceBetween(await readFile(page, 'utf8'), name, content))
}
