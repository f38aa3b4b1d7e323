import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountOf, digitsOf, notWhole, tidyAmount, tidyWhole, waysToRead, wholeOf } from './typed-number.ts'

describe('a whole number as it is typed or pasted', () => {
  for (const [text, meant] of [
    ['', null],
    ['-', null],
    ['12', 12],
    [' 12\n', 12],
    ['\u00a012\u00a0', 12],
    ['12 minutes', 12],
    ['1 000', 1_000],
    ['1\u202f000', 1_000],
    ['1,000', 1_000],
    ['1.000', 1_000],
    ['1’000', 1_000],
    ['１２', 12],
    ['١٢', 12],
    ['۱۲', 12],
    ['-5', -5],
    ['\u22125', -5],
    ['\u20135', -5],
    ['(5)', 5],
    ['2.5', notWhole],
    ['2,5', notWhole],
    ['1-5', notWhole],
    ['1e3', notWhole],
    ['0.500', notWhole],
    ['1.000,000', notWhole],
    ['1,000,000', 1_000_000],
  ] as const)
    it(`is ${meant} for ${JSON.stringify(text)}`, () => assert.equal(wholeOf(tidyWhole(text)), meant))
})

it('reads the digits of a code however they are written', () => {
  for (const text of [
    '123456',
    ' 123 456\n',
    '123-456',
    '１２３４５６',
    '١٢٣٤٥٦',
    '\u202a123\u00a0456\u202c',
  ])
    assert.equal(digitsOf(text), '123456', JSON.stringify(text))
})

describe('an amount as it is typed or pasted', () => {
  for (const [text, meant] of [
    ['', ''],
    ['0.05', '0.05'],
    ['0,05', '0.05'],
    ['€ 5\n', '5'],
    ['5\u00a0€', '5'],
    ['1 234,50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1,234,567', '1234567'],
    ['1.234.567', '1234567'],
    ['0,045', '0.045'],
    ['1234,567', '1234.567'],
    ['1,23', '1.23'],
    ['5.', '5'],
    ['5,', '5'],
    ['１２．５', '12.5'],
    ['١٢٫٥', '12.5'],
    // Left for the contract to refuse.
    ['1,000', '1,000'],
    ['-12,500', '-12,500'],
    ['-5', '-5'],
    ['\u22125', '-5'],
    ['1.2.3', '1.2.3'],
    ['1-5', '1-5'],
    ['1e3', '1e3'],
  ] as const)
    it(`is ${JSON.stringify(meant)} for ${JSON.stringify(text)}`, () =>
      assert.equal(amountOf(tidyAmount(text)), meant))

  it('that can be read in two ways is written in both', () => {
    assert.deepEqual(waysToRead('12,500'), ['12500', '12.500'])
    assert.deepEqual(['1.000', '0,045', '1234,567', '1,23', '1,000,000'].map(waysToRead), [
      null,
      null,
      null,
      null,
      null,
    ])
  })
})
