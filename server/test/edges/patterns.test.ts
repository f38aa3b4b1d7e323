/**
 * Every regular expression of the sources, found in them: proven to take time in proportion to the text, and
 * tried on texts that it almost matches. A new pattern is in this by itself.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { assertPrompt, lengthsUpTo, repeated, seeds } from './adversary.ts'

// The same answer on every machine, whether or not there is a faster build for it.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

const root = fileURLToPath(new URL('../../..', import.meta.url))
const longestText = 262_144
/** What takes time by the square of its length takes a second for this. */
const enoughText = longestText / 8

interface Pattern {
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

const found = ['server/src', 'contract/src', 'simulator/src'].flatMap(sourcesUnder).map(read)
const patterns = [
  ...new Map(
    found.flatMap((file) => file.patterns).map((pattern) => [String(pattern.regex), pattern]),
  ).values(),
]

/** What stands in the pattern itself is what it almost matches. */
const ownSeeds = ({ source }: RegExp) => [
  ...(source.match(/[\w@:;,-]{2,}/g) ?? []),
  ...new Set(source.replaceAll(/[\\^$.*+?()[\]{}|]/g, '')),
]

const ended = new Map<string, string>()

/** Almost to the end: what follows is nothing that any pattern takes. */
function endedText(seed: string, length: number): string {
  const name = `${length} ${seed}`
  const text = ended.get(name) ?? `${repeated(seed, length)}\0`
  ended.set(name, text)
  return text
}

describe('every pattern', () => {
  it('is found, and written as a literal', () => {
    assert.ok(patterns.length > 100, `${patterns.length} patterns`)
    assert.deepEqual(
      found.flatMap((file) => file.built),
      [],
    )
  })

  it('a pattern that is not linear is known for one', () => {
    assert.equal(checkSync('\\s+$', '', { timeout: null }).status, 'vulnerable')
    assert.equal(checkSync('^(a+)+$', '', { timeout: null }).status, 'vulnerable')
  })

  for (const { place, regex } of patterns) {
    it(`${regex} is linear (${place})`, () => {
      const { status } = checkSync(regex.source, regex.flags, { timeout: null, attackTimeout: null })
      assert.equal(status, 'safe')
      const everywhere = new RegExp(regex.source, regex.global ? regex.flags : `${regex.flags}g`)
      const own = new Set(ownSeeds(regex))
      for (const seed of new Set([...own, ...seeds])) {
        for (const length of lengthsUpTo(own.has(seed) ? longestText : enoughText)) {
          const text = endedText(seed, length)
          assertPrompt(`${length} characters of ${JSON.stringify(seed)}`, () => {
            regex.lastIndex = 0
            regex.test(text)
          })
        }
        // All matches of a long text are many strings, whatever the pattern.
        for (const length of lengthsUpTo(enoughText)) {
          const text = repeated(seed, length)
          assertPrompt(`replacing in ${length} characters of ${JSON.stringify(seed)}`, () =>
            text.replace(everywhere, ''),
          )
        }
      }
    })
  }
})
