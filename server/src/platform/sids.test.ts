import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeId, newId, parseId } from './ids.ts'
import { parseSid, sidOf } from './sids.ts'

test('an id and its SID lead to each other, whatever the time and the chance in it', () => {
  const ids = Array.from({ length: 200 }, (_, index) => newId('verification', index * 40_000_000_000))
  const bounds = [0n, 1n, 2n ** 128n - 1n].map((bits) => encodeId('verification', bits))
  for (const id of [...ids, ...bounds]) {
    const sid = sidOf('verification', id)
    assert.match(sid, /^VE[0-9a-f]{32}$/)
    assert.equal(parseSid('verification', sid), id)
    assert.equal(
      parseSid(
        'verification',
        sid.replace(/[0-9a-f]{32}/, (hex) => hex.toUpperCase()),
      ),
      id,
    )
    assert.equal(parseId('verification', id), id)
  }
})

test('what is no SID of the kind is none', () => {
  const sid = sidOf('app', newId('app', 1_800_000_000_000))
  assert.match(sid, /^VA/)
  for (const text of [
    '',
    'VA',
    sid.slice(1),
    `${sid}0`,
    sid.replace('VA', 'va'),
    sid.replace('VA', 'VE'),
    `${sid}\n`,
  ]) {
    assert.equal(parseSid('app', text), null, text)
  }
})
