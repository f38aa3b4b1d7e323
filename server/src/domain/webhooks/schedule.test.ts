import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDelaySeconds, parseRetryAfter } from './schedule.ts'

const planned = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000]
const almostOne = 1 - Number.EPSILON

test('retries come after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h and 10 h, and then no more', () => {
  for (const [index, seconds] of planned.entries())
    assert.equal(nextDelaySeconds(index + 1, null, 0), seconds)
  for (const attempt of [9, 10, 1_000]) assert.equal(nextDelaySeconds(attempt, null, 0), null)
})

test('jitter only ever delays, by a fifth at most', () => {
  for (const [index, seconds] of planned.entries()) {
    for (const random of [0, 0.25, 0.5, almostOne]) {
      const delay = nextDelaySeconds(index + 1, null, random) ?? 0
      assert.ok(delay >= seconds && delay <= seconds * 1.2, `${delay} for ${seconds}`)
    }
  }
})

test('an endpoint may ask for more time, not for less, and not for more than half a day', () => {
  assert.equal(nextDelaySeconds(1, 90, 0), 90)
  assert.equal(nextDelaySeconds(3, 90, 0), 120)
  assert.equal(nextDelaySeconds(1, 999_999_999, 0), 43_200)
  assert.equal(nextDelaySeconds(1, 0, 0), 5)
  assert.equal(nextDelaySeconds(9, 90, 0), null, 'asking does not buy another attempt')
})

test('Retry-After is read as seconds or as a date, and nothing else', () => {
  const nowMs = Date.parse('2030-01-01T00:00:00Z')
  assert.equal(parseRetryAfter('120', nowMs), 120)
  assert.equal(parseRetryAfter(' 7 ', nowMs), 7)
  assert.equal(parseRetryAfter('Tue, 01 Jan 2030 00:02:00 GMT', nowMs), 120)
  assert.equal(parseRetryAfter('Mon, 31 Dec 2029 00:00:00 GMT', nowMs), 0)
  for (const odd of [undefined, '', 'soon', '-5', '1.5', '99999999999', '1e3', 'NaN', '5; 6'])
    assert.equal(parseRetryAfter(odd, nowMs) ?? 0, 0, String(odd))
})
