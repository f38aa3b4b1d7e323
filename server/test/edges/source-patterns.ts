/** Finds every regular expression in the sources. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface Pattern {
  readonly place: string
  readonly regex: RegExp
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(root, folder, name))
}

function read(file: string): { patterns: Pattern[]; built: string[] } {
  const text = readFileSync(file, 'utf8')
  const patterns: Pattern[] = []
  const built: string[] = []
  const placeOf = (offset: number) => `${relative(root, file)}:${text.slice(0, offset).split('\n').length}`
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return
      patterns.push({ place: placeOf(node.start), regex: new RegExp(node.regex.pattern, node.regex.flags) })
    },
    NewExpression: ({ callee, start }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') built.push(placeOf(start))
    },
  }).visit(parseSync(file, text).program)
  return { patterns, built }
}

/** Each pattern once, and the places where one is built at run time. */
export function findPatterns(): { patterns: readonly Pattern[]; built: readonly string[] } {
  const found = ['server/src', 'contract/src', 'simulator/src'].flatMap(sourcesUnder).map(read)
  const all = found.flatMap((file) => file.patterns)
  return {
    patterns: [...new Map(all.map((pattern) => [String(pattern.regex), pattern])).values()],
    built: found.flatMap((file) => file.built),
  }
}

/** Whether it is proven to take time in proportion to the text. */
export async function isLinear({ source, flags }: Pick<RegExp, 'source' | 'flags'>): Promise<boolean> {
  // The pure backend gives the same answer on every machine; a native one may not be available.
  process.env.RECHECK_BACKEND = 'pure'
  const { checkSync } = await import('recheck')
  return checkSync(source, flags, { timeout: null, attackTimeout: null }).status === 'safe'
}
