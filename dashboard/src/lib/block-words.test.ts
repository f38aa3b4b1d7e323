import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placeInWords, widestFirst } from './block-words.ts'

describe('where a block stands', () => {
  for (const [level, place, where] of [
    ['carrier', 'GB 774 (O2)', 'United Kingdom, numbers in 774… (O2)'],
    ['carrier', 'AZ 50', 'Azerbaijan, numbers in 50…'],
    ['carrier', 'GB Cloud9', 'United Kingdom, Cloud9'],
    ['known_carrier', 'GB 09 Mobile', 'United Kingdom, 09 Mobile'],
    ['country', 'MX', 'Mexico'],
    ['r10k', '+99450310xxxx', '+99450310xxxx'],
    ['ip', '81.2.69.142', '81.2.69.142'],
  ] as const) {
    it(`is ${where} for ${place}`, () => assert.equal(placeInWords({ level, place }).where, where))
  }
})

it('a block stands before what is only held for a moment, and the widest first', () => {
  const [carrier, range] = [
    { kind: 'block', numbers: 158 },
    { kind: 'block', numbers: 9 },
  ] as const
  const [held, briefly] = [
    { kind: 'hold', numbers: 900 },
    { kind: 'hold', numbers: 10 },
  ] as const
  assert.deepEqual(widestFirst([briefly, range, held, carrier]), [carrier, range, held, briefly])
})
