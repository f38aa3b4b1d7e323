/** Compares the documents about the variables with how they are read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { environment } from './environment.ts'

const fileOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** The value of a variable as the service reads it; undefined if it is refused. */
function read(name: string, value: string): unknown {
  const parsed = environment.safeParse({ [name]: value })
  return parsed.success ? { ...parsed.data }[name as keyof typeof parsed.data] : undefined
}

const names = Object.keys(environment.shape)
const defaults = new Map(
  Object.entries(environment.parse({})).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  ),
)
const sample = new Map(
  [...fileOf('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
)
const rows = new Map(
  [...fileOf('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)].map(
    ([, name = '', unset = '', meaning = '']) => [name, { unset, meaning }],
  ),
)

describe('the variables of the environment', () => {
  it('are in .env.example and in docs/operations.md, each once, and no others', () => {
    assert.ok(names.length > 15)
    assert.deepEqual([...sample.keys()].toSorted(), names.toSorted())
    assert.deepEqual([...rows.keys()].toSorted(), names.toSorted())
  })

  for (const [name, value] of defaults) {
    it(`have ${value} for ${name} where nobody sets it, in both`, () => {
      assert.equal(sample.get(name), value)
      assert.equal(rows.get(name)?.unset.replaceAll('`', ''), value)
    })
  }

  for (const [name, value] of sample) {
    if (value === '') continue
    it(`can be set as .env.example shows it: ${name}`, () => assert.notEqual(read(name, value), undefined))
  }

  for (const [name, { meaning }] of rows) {
    const [, lowest, highest] = /(\d+) to (\d+)/.exec(meaning) ?? []
    if (lowest === undefined || highest === undefined) continue
    it(`have the bounds of ${name} that docs/operations.md says, ${lowest} and ${highest}`, () => {
      const taken = [Number(lowest) - 1, Number(lowest), Number(highest), Number(highest) + 1].map(
        (value) => read(name, String(value)) === value,
      )
      assert.deepEqual(taken, [false, true, true, false])
    })
  }

  for (const name of ['ROLE', 'LOG_LEVEL', 'SIMULATOR'] as const) {
    it(`have the choices of ${name} that docs/operations.md says`, () => {
      const { unset, meaning } = rows.get(name) ?? { unset: '', meaning: '' }
      const said = [...`${unset} ${meaning}`.matchAll(/`([a-z]+)`/g)].map(([, word = '']) => word)
      const parsed = environment.safeParse({ [name]: 'something else' })
      const message = parsed.error?.issues[0]?.message ?? ''
      const choices = /must be one of (.*), not/.exec(message)?.[1]?.split(', ')
      assert.deepEqual([...new Set(said)].toSorted(), choices?.toSorted())
    })
  }
})
