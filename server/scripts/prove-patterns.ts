/**
 * Records which regular expressions of the sources are proven to run in linear time. A proof takes up to a second and
 * holds as long as the expression is unchanged, so a test run proves only those that are not recorded.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { findPatterns, isLinear } from '../test/edges/source-patterns.ts'

const file = new URL('../test/edges/proven-patterns.json', import.meta.url)
const known = new Set<string>(JSON.parse(readFileSync(file, 'utf8')))
const proven: string[] = []
for (const { place, regex } of findPatterns().patterns) {
  if (known.has(String(regex)) || (await isLinear(regex))) proven.push(String(regex))
  else console.error(`${place}: ${regex} is not linear`)
}
writeFileSync(file, `${JSON.stringify(proven.sort(), null, 2)}\n`)
