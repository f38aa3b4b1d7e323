import assert from 'node:assert/strict'
import { it } from 'node:test'
import { quoteLongNumbers } from './long-numbers.ts'

it('a whole number that would be rounded becomes a text, and nothing else changes', () => {
  for (const [json, quoted] of [
    ['{"id":9007199254740993}', '{"id":"9007199254740993"}'],
    ['[1234567890123456789,1234567890123456790]', '["1234567890123456789","1234567890123456790"]'],
    ['1234567890123456', '"1234567890123456"'],
    ['{"a":1, "id" : 1234567890123456 }', '{"a":1, "id" : "1234567890123456" }'],
  ] as const) {
    assert.equal(quoteLongNumbers(json), quoted)
  }
  for (const json of [
    '',
    '{"id":123456789012345}',
    '{"id":"1234567890123456789"}',
    '{"text":"\\"id\\":1234567890123456789"}',
    '{"text":"\\\\","1234567890123456789":"1234567890123456789"}',
    '[-1234567890123456789,0.1234567890123456789,1234567890123456789.5]',
    '[1234567890123456789e3,1e1234567890123456789,1E+1234567890123456789]',
    '"1234567890123456789',
  ]) {
    assert.equal(quoteLongNumbers(json), json)
  }
})
