import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTurns } from './turns.ts'

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Calls that run until they are ended, and how many of them run at once. */
function openCalls(maxAtOnce: number, maxWaiting: number) {
  const takeTurn = createTurns({ maxAtOnce, maxWaiting })
  const running: { key: string; end: () => void }[] = []
  const call = (key: string) =>
    takeTurn(key, async () => {
      await new Promise<void>((end) => running.push({ key, end }))
    })
  return { call, running, endFirst: () => running.shift()?.end() }
}

describe('turns', () => {
  it('run as many calls of one key at once as they may, also when others end', async () => {
    const { call, running, endFirst } = openCalls(2, 100)
    const calls = Array.from({ length: 6 }, () => call('a'))
    for (let ended = 0; ended < 4; ended++) {
      await tick()
      assert.equal(running.length, 2)
      endFirst()
      // Comes while the turn is handed on, and gets behind those that wait.
      calls.push(call('a'))
    }
    while (running.length > 0) {
      assert.ok(running.length <= 2)
      endFirst()
      await tick()
    }
    await Promise.all(calls)
    assert.equal(calls.length, 10)
  })

  it('of other keys do not wait', async () => {
    const { call, running, endFirst } = openCalls(1, 100)
    const calls = ['a', 'a', 'b'].map(call)
    await tick()
    assert.deepEqual(
      running.map(({ key }) => key),
      ['a', 'b'],
    )
    while (running.length > 0) {
      endFirst()
      await tick()
    }
    await Promise.all(calls)
  })

  it('let one key wait with as many as there is still room for, and others still find some', async () => {
    const { call, running, endFirst } = openCalls(1, 8)
    const waiting = Array.from({ length: 5 }, () => call('a'))
    await assert.rejects(call('a'), { errorName: 'UnavailableError' })
    const others = ['b', 'b'].map(call)
    await tick()
    assert.equal(running.length, 2)
    while (running.length > 0) {
      endFirst()
      await tick()
    }
    await Promise.all([...waiting, ...others])
  })

  it('are given on by a call that fails', async () => {
    const takeTurn = createTurns({ maxAtOnce: 1, maxWaiting: 8 })
    const failed = takeTurn('a', async () => {
      await tick()
      throw new Error('broken')
    })
    const next = takeTurn('a', async () => 'next')
    await assert.rejects(failed, /broken/)
    assert.equal(await next, 'next')
  })
})
