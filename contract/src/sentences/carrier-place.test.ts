import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CarrierPlace, readCarrierPlace, writeCarrierPlace } from './carrier-place.ts'

const places: readonly (readonly [string, CarrierPlace])[] = [
  ['GB 774 (O2)', { country: 'GB', prefix: '774', carrier: 'O2' }],
  ['IT 34 (3 Italia (Wind))', { country: 'IT', prefix: '34', carrier: '3 Italia (Wind)' }],
  ['AZ 50', { country: 'AZ', prefix: '50', carrier: '' }],
  ['GB Cloud9', { country: 'GB', prefix: '', carrier: 'Cloud9' }],
  ['GB 09 Mobile', { country: 'GB', prefix: '', carrier: '09 Mobile' }],
  ['AT 3', { country: 'AT', prefix: '', carrier: '3' }],
]

describe('the place of a block that closes a carrier', () => {
  for (const [text, place] of places) {
    it(`is written and read back: ${text}`, () => {
      assert.equal(writeCarrierPlace(place), text)
      assert.deepEqual(readCarrierPlace(text), place)
    })
  }
})
