/** What the commands for developers make of what is said to them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readOptions } from './harness/options.ts'

const defaults = { cases: 100, only: 'all', story: false }

describe('options', () => {
  it('are those that are given, and their defaults', () => {
    assert.deepEqual(readOptions(defaults, []), defaults)
    assert.deepEqual(readOptions(defaults, ['--cases', '7', '--only=sms', '--story']), {
      cases: 7,
      only: 'sms',
      story: true,
    })
  })

  it('with a typo end the command with one line that names it', (test) => {
    const said = test.mock.method(console, 'error', () => {})
    test.mock.method(process, 'exit', (code: number) => {
      throw new Error(`exit ${code}`)
    })
    for (const [args, line] of [
      [['--case', '7'], /--case'/],
      [['--cases', '1e4'], /--cases is a whole number, and "1e4" is not/],
      [['--cases'], /--cases/],
      [['7'], /7/],
    ] as const) {
      assert.throws(() => readOptions(defaults, args), /exit 2/)
      assert.match(String(said.mock.calls.at(-1)?.arguments), line)
    }
  })
})
