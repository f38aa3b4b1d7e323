import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseJson, parseJsonWithIds, retryAfterSeconds, statusOutcome } from './http-outcome.ts'

it('the pause that a provider asks for is at least a second and at most an hour', () => {
  const asked = (value?: string) =>
    retryAfterSeconds({ headers: value === undefined ? {} : { 'retry-after': value } })
  assert.deepEqual(['0', '1', '3600', '3601', '999999999'].map(asked), [1, 1, 3_600, 3_600, 3_600])
  for (const value of [undefined, '', '-1', '1.5', '2030-01-01', 'GMT', '1'.repeat(10)])
    assert.equal(asked(value), null, value)
})

it('a pause until a date is counted from the date of the answer, whatever the clock here shows', () => {
  const asked = (until: string, date?: string) =>
    retryAfterSeconds({ headers: { 'retry-after': until, ...(date === undefined ? {} : { date }) } })
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  assert.equal(asked('Wed, 21 Oct 2015 07:28:40 GMT', date), 40)
  assert.equal(asked('Wednesday, 21-Oct-15 07:29:00 GMT', date), 60)
  assert.equal(asked('Wed, 21 Oct 2015 07:27:00 GMT', date), 1)
  assert.equal(asked('Thu, 21 Oct 2055 07:28:00 GMT', date), 3_600)
  assert.equal(asked('Wed, 21 Oct 2015 07:28:40 GMT'), null)
  assert.equal(asked('Wed, 21 Oct 2015 07:28:40 GMT', 'yesterday'), null)
})

it('what a status alone says of the message', () => {
  const kindOf = (status: number) =>
    statusOutcome({ kind: 'response', status, headers: {}, body: Buffer.alloc(0) }, '').kind
  for (const [kind, statuses] of [
    ['uncertain', [200, 202, 204, 504, 520, 524]],
    ['broken', [301, 307, 401, 402, 403]],
    ['retry', [408, 425, 429, 500, 502, 503, 521, 522, 529]],
    ['refused', [400, 404, 405, 409, 410, 413, 422, 451]],
  ] as const) {
    for (const status of statuses) assert.equal(kindOf(status), kind, String(status))
  }
})

it('JSON may begin with a byte order mark, and long ids in it keep every digit', () => {
  const body = Buffer.from('\ufeff{"id":1234567890123456789,"code":7}')
  assert.deepEqual(parseJsonWithIds(body), { id: '1234567890123456789', code: 7 })
  assert.deepEqual(parseJson(Buffer.from('\ufeff[]')), [])
  for (const text of ['', '\ufeff', '\ufeff\ufeff[]', '<r>'])
    assert.equal(parseJson(Buffer.from(text)), undefined)
})
