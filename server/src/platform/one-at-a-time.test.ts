import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAtATime } from './one-at-a-time.ts'

test('calls go one after the other in their order, and one that fails stops none', async () => {
  const seen: string[] = []
  const run = oneAtATime(async (name: string) => {
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    if (name === 'first') throw new Error('no')
    return name
  })
  const ended = await Promise.allSettled([run('first'), run('second'), run('third')])
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(
    seen,
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})
