import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from './tally.ts'

test('what is counted twice stays until it is taken away twice, and leaves nothing behind', () => {
  const tally = new Tally()
  tally.add('message', 1)
  tally.add('message', 1)
  tally.add('message', -1)
  assert.equal(tally.of('message'), 1)
  assert.deepEqual(tally.names(), ['message'])
  tally.add('message', -1)
  assert.equal(tally.of('message'), 0)
  assert.deepEqual(tally.names(), [])
})
