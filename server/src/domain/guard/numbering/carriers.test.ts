import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issuerOf, mainCarrierOf, sizeOf } from './carriers.ts'

describe('whom the numbering plan issued a number to', () => {
  for (const [what, digits, expected] of [
    ['a carrier with a range among those of others', '447872212345', 'Cloud9'],
    ['the same carrier in another prefix', '447440912345', 'Cloud9'],
    ['the carrier of a longer prefix within that of another', '447744212345', 'Core Communication'],
    ['a carrier whose range is as short as the number', '354385', 'Síminn'],
    ['nobody where the plan does not say', '14155550100', undefined],
    ['nobody before the first range', '00000', undefined],
    ['nobody after the last', '999999999999', undefined],
  ] as const) {
    it(`is ${what}`, () => assert.equal(issuerOf(digits)?.name, expected))
  }

  it('tells carriers with fewer numbers than a prefix from larger ones', () => {
    const isSmall = (digits: string) => (issuerOf(digits)?.size ?? 0) < sizeOf(digits.slice(0, 5))
    assert.deepEqual(['447872212345', '447740123456', '447400123456'].map(isSmall), [true, false, false])
  })

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
