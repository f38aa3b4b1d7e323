import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNever, withNever, withoutNever } from './never-here.ts'
import type { RuleDraft } from './rule-values.ts'

const pass: RuleDraft = { name: 'Ours', mode: 'on', when: { country: ['GB'] }, then: { action: 'pass' } }
const never = (prefix: readonly string[], name = 'Never here'): RuleDraft => ({
  name,
  mode: 'on',
  when: { prefix: [...prefix] },
  then: { action: 'refuse' },
})
const many = Array.from({ length: 250 }, (_, index) => `+4474${String(index).padStart(4, '0')}`)

describe('a range of numbers to which no code goes any more', () => {
  for (const [what, rules, expected] of [
    ['is refused before any rule that would let it pass', [pass], [never(['+99450310']), pass]],
    ['joins those that were named before', [pass, never(['+1'])], [pass, never(['+1', '+99450310'])]],
    ['is named once', [never(['+99450310'])], [never(['+99450310'])]],
    [
      'begins another rule where one is full',
      [never(many)],
      [never(['+99450310'], 'Never here 2'), never(many)],
    ],
    [
      'leaves a rule of that name alone that says something else',
      [{ ...pass, name: 'Never here' }],
      [never(['+99450310'], 'Never here 2'), { ...pass, name: 'Never here' }],
    ],
    [
      'is not taken for refused by a rule in shadow',
      [{ ...never(['+99450310']), mode: 'shadow' }],
      [never(['+99450310'], 'Never here 2'), { ...never(['+99450310']), mode: 'shadow' }],
    ],
  ] as const satisfies [string, RuleDraft[], RuleDraft[]][]) {
    it(what, () => {
      const after = withNever(rules, '+99450310')
      assert.deepEqual(after, expected)
      assert.equal(isNever(after, '+99450310'), true)
    })
  }

  for (const [what, rules, expected] of [
    ['is taken back with its rule, if it was the only one', [never(['+99450310']), pass], [pass]],
    ['leaves the others that were named', [never(['+1', '+99450310'])], [never(['+1'])]],
    [
      'is not taken out of a rule of another name',
      [never(['+99450310'], 'Mine')],
      [never(['+99450310'], 'Mine')],
    ],
    ['leaves rules as they are where it is not named', [pass, never(['+1'])], [pass, never(['+1'])]],
  ] as const satisfies [string, RuleDraft[], RuleDraft[]][]) {
    it(what, () => assert.deepEqual(withoutNever(rules, '+99450310'), expected))
  }

  it('can be named and taken back, which leaves nothing behind', () => {
    for (const rules of [[], [pass], [never(['+1']), pass], [never(many)]])
      assert.deepEqual(withoutNever(withNever(rules, '+99450310'), '+99450310'), rules)
  })
})
