import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InHand } from './in-hand.ts'

test('what is claimed again before it is known to be given back stays in hand', () => {
  const held = new InHand()
  held.add('message')
  held.add('message')
  held.remove('message')
  assert.ok(held.has('message'))
  assert.deepEqual(held.names(), ['message'])
  held.remove('message')
  assert.ok(!held.has('message'))
  assert.deepEqual(held.names(), [])
})
