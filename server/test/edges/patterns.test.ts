/**
 * Every regular expression in the sources is proven to take linear time, and tried on texts that it almost matches. New
 * patterns are found automatically; `npm run generate` writes their proofs down.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { assertPrompt, lengthsUpTo, repeated, seeds } from './adversary.ts'
import { findPatterns, isLinear } from './source-patterns.ts'

const longestText = 262_144
/** Quadratic time would take a second for this length. */
const enoughText = longestText / 8

const { patterns, built } = findPatterns()
/** This file builds patterns from literals in the contract's own schemas. */
const fromLiterals = 'contract/src/openapi/example-of.ts:'
const proven = new Set(JSON.parse(readFileSync(new URL('proven-patterns.json', import.meta.url), 'utf8')))

/** The characters of a pattern itself make texts that it almost matches. */
const ownSeeds = ({ source }: RegExp) => [
  ...(source.match(/[\w@:;,-]{2,}/g) ?? []),
  ...new Set(source.replaceAll(/[\\^$.*+?()[\]{}|]/g, '')),
]

const ended = new Map<string, string>()

/** A text that no pattern matches to its end, because of its last character. */
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
      built.filter((place) => !place.startsWith(fromLiterals)),
      [],
    )
  })

  it('a pattern that is not linear is known for one', async () => {
    assert.equal(await isLinear(/\s+$/), false)
    assert.equal(await isLinear(/^(a+)+$/), false)
  })

  for (const { place, regex } of patterns) {
    it(`${regex} is linear (${place})`, async () => {
      assert.ok(proven.has(String(regex)) || (await isLinear(regex)))
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
        // Shorter texts here: collecting all matches makes many strings, whatever the pattern.
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
