import assert from 'node:assert/strict'
import { it } from 'node:test'
import { count } from './words.ts'

it('a count is written as people read it', () => {
  assert.deepEqual(
    [count(1, 'event'), count(999, 'event'), count(8_864, 'event')],
    ['1 event', '999 events', '8,864 events'],
  )
})
