import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Window } from './window.ts'

/** Reports `count` answers of an account that is always kept busy. */
function keepBusy(window: Window, count: number, latencyMs: (atOnce: number) => number): void {
  for (let index = 0; index < count; index++) window.answered(latencyMs(window.limit), true)
}

describe('the window of an account', () => {
  it('grows until one that needs 150 ms takes a thousand messages a second', () => {
    const window = new Window()
    keepBusy(window, 1_000, () => 150)
    assert.ok(window.limit / 0.15 >= 1_000, `${window.limit} at once`)
  })

  it('has a bound, however much the account takes', () => {
    const window = new Window()
    keepBusy(window, 10_000, () => 5)
    assert.equal(window.limit, 500)
    keepBusy(window, 1_000, () => 0.1)
    assert.equal(window.mostInHand, 1_500)
  })

  it('grows for an account that is still quick, or that has been slower for long, whatever its best was', () => {
    const quick = new Window()
    keepBusy(quick, 1, () => 1)
    keepBusy(quick, 1_000, () => 20)
    assert.equal(quick.limit, 500)
    const moved = new Window()
    keepBusy(moved, 10, () => 10)
    keepBusy(moved, 20_000, () => 100)
    assert.equal(moved.limit, 500)
  })

  it('does not grow for an account that only gets slower by it', () => {
    const window = new Window()
    // An account that works on 20 messages at once, and lets the others wait.
    keepBusy(window, 5_000, (atOnce) => 100 * Math.max(1, atOnce / 20))
    assert.ok(window.limit < 250, `${window.limit} at once`)
  })

  it('does not grow while it is not used up', () => {
    const window = new Window()
    for (let count = 0; count < 1_000; count++) window.answered(10, false)
    assert.equal(window.limit, 50)
  })

  it('is halved when the account errs, once a second at most, and is never closed', () => {
    const window = new Window()
    for (let count = 0; count < 10; count++) window.erred(0)
    assert.equal(window.limit, 25)
    for (let second = 1; second < 20; second++) window.erred(second * 1_000)
    assert.equal(window.limit, 2)
  })

  it('keeps in memory what the account takes in half a second, and little for a slow one', () => {
    const quick = new Window()
    keepBusy(quick, 100, () => 150)
    assert.ok(quick.mostInHand >= quick.limit + 0.4 * (quick.limit / 0.15))
    const slow = new Window()
    for (let count = 0; count < 100; count++) slow.answered(15_000, false)
    assert.ok(slow.mostInHand <= slow.limit + 2, `${slow.mostInHand} in hand`)
  })
})
