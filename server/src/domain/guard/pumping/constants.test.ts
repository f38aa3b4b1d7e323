/** Every constant of the guard that is not learnt is in one file, and in one table with its value and its reason. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import * as levels from './levels.ts'

const here = new URL('.', import.meta.url)
const pageOf = (name: string) => readFileSync(new URL(`../../../../../docs/${name}.md`, here), 'utf8')
const page = pageOf('pumping-inside')
const table = page.slice(page.indexOf('## Constants'), page.indexOf('## What is stored'))
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? [])

const timesMs: Readonly<Record<string, number>> = {
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
}
const shares: Readonly<Record<string, number>> = { half: 0.5, 'an eighth': 1 / 8 }

/** The value that a cell says of a constant: `a day`, `30 %`, `5 codes`, or a share in words. */
function amountIn(said: string, name: string): number {
  const [, number = '', unit = ''] = /^(a|−?[\d.]+)(?: (\S+))?$/.exec(said) ?? []
  const value = number === 'a' ? 1 : Number(number.replace('−', '-'))
  const scale = name.endsWith('Ms') ? timesMs[unit] : unit === '%' ? 0.01 : 1
  return shares[said] ?? value * (scale ?? Number.NaN)
}

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

it('the folders of the guard against pumping are in the table of docs/pumping-inside.md, and no others', () => {
  const said = [...page.matchAll(/^\| `([a-z]+)\/` \|/gm)].map(([, name]) => name)
  const own = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(said.toSorted(), own.map(({ name }) => name).toSorted())
})

describe('the constants of the guard', () => {
  it('stand in the table, each once, with a value and a reason, and nothing else does', () => {
    const numbers = Object.entries(levels).flatMap(([name, value]) =>
      typeof value === 'number' ? [name] : [],
    )
    assert.deepEqual(rows.flatMap(([, names]) => namesIn(names)).toSorted(), numbers.toSorted())
    for (const [, names, value, reason] of rows) assert.ok(value && reason, names)
  })

  it('have the values that the table says', () => {
    const own = new Map<string, unknown>(Object.entries(levels))
    for (const [, cell, values = ''] of rows) {
      if (values.startsWith('see ')) continue
      const names = namesIn(cell)
      const said = values.split(', ')
      assert.equal(said.length, names.length, cell)
      for (const [index, name] of names.entries()) {
        const difference = Number(own.get(name)) - amountIn(said[index] ?? '', name)
        assert.ok(Math.abs(difference) < 1e-9, `${name}: ${said[index]}`)
      }
    }
  })

  it('close places as docs/pumping.md says', () => {
    const { levelRules: rules, flaggedIpBlock, ...times } = levels
    const ofLevel = ({ halfLifeMs, block, blockUnapproved }: levels.LevelRule, lower = blockUnapproved) => [
      halfLifeMs,
      block,
      lower,
    ]
    const ranges = [times.blockMs, times.longestBlockMs]
    const parents = [times.parentBlockMs, times.longestParentBlockMs]
    const said = [
      ...pageOf('pumping').matchAll(
        /^\| [^|]+ \| (\d+ h) \| ([\d.]+); (\d+)[^|]*\| (\d+ h), doubling to (\d+ h) \|$/gm,
      ),
    ].map(([, life = '', block, lower, first = '', longest = '']) => [
      amountIn(life, 'Ms'),
      Number(block),
      Number(lower),
      amountIn(first, 'Ms'),
      amountIn(longest, 'Ms'),
    ])
    assert.deepEqual(said, [
      ...[rules.r100, rules.r1k, rules.r10k].map((rule) => [...ofLevel(rule), ...ranges]),
      ...[rules.carrier, rules.country].map((rule) => [...ofLevel(rule), ...parents]),
      [...ofLevel(rules.ip, flaggedIpBlock), times.ipBlockMs, times.longestParentBlockMs],
    ])
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
