import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSpend, capOf, countedMicros, exceedsCap, floorOf } from './caps.ts'

const unit = 1_000_000n
const count = (spent: bigint, approved: bigint, best = 0n, bestSpent = best) => ({
  spentMicros: spent * unit,
  approvedMicros: approved * unit,
  bestMicros: best * unit,
  bestSpentMicros: bestSpent * unit,
})
const floor = 100n * unit

describe('a cap', () => {
  for (const [name, setting, counted, micros] of [
    ['an amount as it was set', '25.5', count(0n, 900n, 900n), 25_500_000n],
    ['the floor without a history', 'learned', count(0n, 0n), floor],
    ['the floor above a small history', 'learned', count(0n, 0n, 0n, 9n), floor],
    [
      'a hundred times what was approved so far, where nothing is known',
      'learned',
      count(50n, 2n),
      200n * unit,
    ],
    ['twice what was spent for an approval at best', 'learned', count(500n, 20n, 30n, 450n), 900n * unit],
    ['that also of a better day', 'learned', count(500n, 40n, 30n, 450n), 1_200n * unit],
    [
      'a hundred times, where too little was sent to learn from',
      'learned',
      count(50n, 2n, 3n, 99n),
      300n * unit,
    ],
    ['learned from as much as the floor', 'learned', count(50n, 2n, 3n, 100n), 198n * unit],
    ['never more than a hundred times', 'learned', count(500n, 20n, 30n, 9_000n), 3_000n * unit],
    ['never less than ten times the best before', 'learned', count(50n, 20n, 30n, 120n), 300n * unit],
    [
      'never less than ten times what was approved so far',
      'learned',
      count(50n, 40n, 30n, 120n),
      400n * unit,
    ],
    ['none where it is off', 'off', count(5n, 5n, 5n), null],
  ] as const) {
    it(`is ${name}`, () => assert.equal(capOf(setting, counted, floor).micros, micros))
  }

  it('of a day is held against all that was spent, that of an hour against what is not approved', () => {
    assert.equal(countedMicros('day', count(9n, 4n)), 9n * unit)
    assert.equal(countedMicros('hour', count(9n, 4n)), 5n * unit)
    assert.equal(countedMicros('hour', count(4n, 9n)), 0n)
  })

  it('may be reached to the last micro-unit and not passed, and never holds the first message', () => {
    const cap = { source: 'set', micros: 10n } as const
    assert.equal(exceedsCap(cap, 7n, 3n), false)
    assert.equal(exceedsCap(cap, 7n, 4n), true)
    assert.equal(exceedsCap(cap, 0n, 400n), false)
    assert.equal(exceedsCap({ source: 'off', micros: null }, 7n, 4n), false)
  })

  it('has a floor of 2,000 text messages, or of the dearest where those are free', () => {
    const prices = { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' }
    assert.equal(floorOf({ currency: 'EUR', default: prices, countries: { GB: { sms: '1' } } }), floor)
    const free = { ...prices, sms: '0' }
    assert.equal(floorOf({ currency: 'EUR', default: free, countries: { GB: { sms: '0.1' } } }), 2n * floor)
  })
})

describe('what an approval would give back', () => {
  const nine = Date.UTC(2026, 0, 1, 9)
  const hourMs = 3_600_000
  const open = { spendMicros: 5n, spendAt: new Date(nine) }

  it('grows with the messages of one hour, and starts anew with the next', () => {
    const later = new Date(nine + hourMs - 1)
    assert.deepEqual(addSpend(open, 2n, later.getTime()), { spendMicros: 7n, spendAt: later })
    const next = new Date(nine + hourMs)
    assert.deepEqual(addSpend(open, 2n, next.getTime()), { spendMicros: 2n, spendAt: next })
  })

  it('is not changed by what costs nothing', () => {
    assert.deepEqual(addSpend(open, 0n, nine + hourMs), open)
    assert.deepEqual(addSpend({ spendMicros: 0n, spendAt: null }, 0n, nine), {
      spendMicros: 0n,
      spendAt: null,
    })
  })
})
