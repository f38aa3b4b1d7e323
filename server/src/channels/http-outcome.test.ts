import assert from 'node:assert/strict'
import { it } from 'node:test'
import { retryAfterSeconds } from './http-outcome.ts'

it('the pause that a provider asks for is at least a second and at most an hour, and only seconds count', () => {
  const asked = (value?: string) =>
    retryAfterSeconds({
      kind: 'response',
      status: 429,
      headers: value === undefined ? {} : { 'retry-after': value },
      body: Buffer.alloc(0),
    })
  assert.deepEqual(['0', '1', '3600', '3601', '999999999'].map(asked), [1, 1, 3_600, 3_600, 3_600])
  for (const value of [undefined, '', '-1', '1.5', 'Wed, 21 Oct 2026 07:28:00 GMT', '1'.repeat(10)])
    assert.equal(asked(value), null, value)
})
