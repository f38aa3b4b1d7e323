import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setNewest } from './set-newest.ts'

test('beyond the most, what was set longest ago is forgotten', () => {
  const map = new Map<string, number>()
  for (const name of ['one', 'two', 'one', 'three']) setNewest(map, name, name.length, 2)
  assert.deepEqual([...map.keys()], ['one', 'three'])
})
