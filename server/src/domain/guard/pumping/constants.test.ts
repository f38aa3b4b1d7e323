/** Every constant of the guard that is not learnt is in one file, and in one table with its reason. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import * as levels from './levels.ts'

const here = new URL('.', import.meta.url)
const page = readFileSync(new URL('../../../../../docs/pumping-inside.md', here), 'utf8')
const table = page.slice(page.indexOf('## Constants'), page.indexOf('## What is stored'))
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? [])

/** Units of time, storage and how much is shown: no decision depends on them. */
const indifferent = new Set([
  ...['hourMs', 'dayMs', 'pendingSlotMs', 'fadeStepMs', 'slotSeconds', 'historyDays', 'mostPlaces'],
  ...[
    'mostShown',
    'visibleShare',
    'mostListed',
    'mostOfOne',
    'notableShare',
    'mostNotes',
    'negligibleNumbers',
  ],
  ...['familiarKeptMs', 'keptForeverMs', 'keptDaysWhileOff', 'negligible', 'hiddenDigits', 'longNational'],
  ...['codes', 'mostCarriers'],
])

describe('the constants of the guard', () => {
  it('stand in the table, each once, with a value and a reason, and nothing else does', () => {
    const numbers = Object.entries(levels).flatMap(([name, value]) =>
      typeof value === 'number' ? [name] : [],
    )
    assert.deepEqual(rows.flatMap(([, names]) => namesIn(names)).toSorted(), numbers.toSorted())
    for (const [, names, value, reason] of rows) assert.ok(value && reason, names)
  })

  it('stand in one file', () => {
    const files = readdirSync(here, { encoding: 'utf8', recursive: true }).filter(
      (file) => file.endsWith('.ts') && !/test|levels/.test(file),
    )
    assert.ok(files.length > 30)
    for (const file of files) {
      const source = readFileSync(new URL(file, here), 'utf8')
      const found = [...source.matchAll(/^(?:export )?const (\w+) = -?[\d.]/gm)].flatMap(
        ([, name]) => name ?? [],
      )
      assert.deepEqual(
        found.filter((name) => !indifferent.has(name)),
        [],
        file,
      )
    }
  })
})
