import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mainCarrierOf, smallCarrierOf } from './carriers.ts'

describe('whom the numbering plan issued a number to', () => {
  for (const [what, digits, prefix, expected] of [
    ['a small carrier of one range among larger ones', '447872212345', '44787', 'Cloud9'],
    ['the same carrier in another prefix', '447440912345', '44744', 'Cloud9'],
    ['nobody where the carrier has more than the prefix', '447740123456', '44774', null],
    ['nobody where the plan does not say', '14155550100', '1415', null],
    ['nobody before the first range', '00000', '0', null],
    ['nobody after the last', '999999999999', '99999', null],
  ] as const) {
    it(`is ${what}`, () => assert.equal(smallCarrierOf(digits, prefix), expected))
  }

  for (const [prefix, expected] of [
    ['44774', 'O2'],
    ['99450', 'Azercell'],
    ['44740', null],
    ['1415', null],
  ] as const) {
    it(`has ${expected ?? 'nobody'} for most of +${prefix}…`, () =>
      assert.equal(mainCarrierOf(prefix), expected))
  }
})
