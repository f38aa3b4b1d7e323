import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { SendWindow } from './send-window.ts'

const never = new AbortController().signal

/** Whether the window admits one more within a turn; that one is then under way. */
const admits = async (window: SendWindow) => {
  const waiting = new AbortController()
  const admitted = window.acquire(waiting.signal)
  waiting.abort()
  return admitted
}

describe('a window of messages', () => {
  const paused = (test: TestContext) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const window = new SendWindow(2)
    return { window, tick: (ms: number) => test.mock.timers.tick(ms) }
  }

  it('pauses once for all that are throttled together, and twice as long the next time', async (test) => {
    const { window, tick } = paused(test)
    for (let message = 0; message < 5; message++) window.slowDown()
    tick(249)
    assert.equal(await admits(window), false)
    tick(1)
    assert.equal(await admits(window), true)
    assert.equal(window.slowDown(), 500)
  })

  it('begins with the shortest pause again once a message was taken after the pause, and not by one during it', (test) => {
    const { window, tick } = paused(test)
    window.slowDown()
    window.speedUp()
    tick(250)
    assert.equal(window.slowDown(), 500)
    tick(500)
    window.speedUp()
    assert.equal(window.slowDown(), 250)
  })

  it('turns everybody away who waits when it is closed, or comes after that', async () => {
    const window = new SendWindow(1)
    assert.equal(await window.acquire(never), true)
    const waiting = window.acquire(never)
    const closed = window.close()
    assert.deepEqual([await waiting, await window.acquire(never)], [false, false])
    window.release()
    await closed
  })
})
