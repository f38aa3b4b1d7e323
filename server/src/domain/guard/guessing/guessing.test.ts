import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../../platform/ids.ts'
import { Guesses } from './guesses.ts'
import { watchGuesses } from './guessing.ts'

const none = { guesses: 0, failures: 0 }

describe('the share of wrong codes', () => {
  for (const [name, recent, before, isAlarming] of [
    ['200 of 200 in a new app', { guesses: 200, failures: 200 }, none, true],
    ['199 of 199', { guesses: 199, failures: 199 }, none, false],
    ['three times the usual', { guesses: 1_000, failures: 300 }, { guesses: 9_900, failures: 990 }, true],
    ['a little less', { guesses: 1_001, failures: 300 }, { guesses: 9_900, failures: 990 }, false],
    [
      'many in a busy app',
      { guesses: 100_000, failures: 9_000 },
      { guesses: 1_000_000, failures: 80_000 },
      false,
    ],
    [
      'nearly all, where most are usual',
      { guesses: 1_000, failures: 950 },
      { guesses: 1_000, failures: 600 },
      true,
    ],
    ['no guesses', none, none, false],
  ] as const) {
    it(`is ${isAlarming ? 'an alarm' : 'no alarm'}: ${name}`, () => {
      assert.equal(watchGuesses(recent, before).isAlarming, isAlarming)
    })
  }

  it('is unknown without guesses, and so is what is usual; the alarm then expects one in ten', () => {
    const { ratio, usualRatio, alarmRatio } = watchGuesses(none, none)
    assert.deepEqual([ratio, usualRatio, Math.round(alarmRatio * 100)], [null, null, 30])
  })
})

describe('a node’s count of guesses', () => {
  it('is by app, is taken once, and can be put back', () => {
    const guesses = new Guesses()
    const companyId = newId('company', 0)
    const [one, two] = [newId('app', 0), newId('app', 0)]
    for (const isMatch of [true, false, false]) guesses.count({ companyId, appId: one }, isMatch)
    guesses.count({ companyId, appId: two }, true)
    const taken = guesses.take()
    assert.deepEqual(taken, [
      { companyId, appId: one, guesses: 3, failures: 2 },
      { companyId, appId: two, guesses: 1, failures: 0 },
    ])
    assert.deepEqual(guesses.take(), [])
    guesses.count({ companyId, appId: one }, false)
    guesses.putBack(taken)
    assert.deepEqual(guesses.take()[0], { companyId, appId: one, guesses: 4, failures: 3 })
  })
})
