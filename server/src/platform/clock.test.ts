import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseClock } from './clock.ts'

describe('the clock of the database, as a node knows it', () => {
  const noon = Date.UTC(2026, 5, 1, 12)
  const start = () => {
    let steadyMs = 0
    const clock = new DatabaseClock(() => steadyMs)
    clock.calibrate(noon)
    const pass = (ms: number) => {
      steadyMs += ms
    }
    return { clock, pass }
  }

  it('goes on between readings', () => {
    const { clock, pass } = start()
    assert.equal(clock.nowMs(), noon)
    pass(250)
    assert.equal(clock.nowMs(), noon + 250)
  })

  it('is never behind what it was told last', () => {
    const { clock, pass } = start()
    for (const lateMs of [0, 400, 3, 1_900, 0, 12]) {
      pass(300)
      const told = clock.nowMs() + 7 - lateMs
      clock.calibrate(told)
      assert.ok(clock.nowMs() >= told)
    }
  })

  it('does not run backwards because a reading was handled late', () => {
    const { clock, pass } = start()
    let last = clock.nowMs()
    for (let round = 0; round < 200; round++) {
      pass(10)
      const beforeMs = clock.nowMs()
      clock.calibrate(noon + (round + 1) * 10 - (round % 7) * 150)
      assert.ok(clock.nowMs() >= beforeMs, 'not at the reading either')
      assert.ok(clock.nowMs() >= last)
      last = clock.nowMs()
    }
  })

  it('comes down by and by to a clock that is really slower', () => {
    const { clock, pass } = start()
    for (let round = 1; round <= 60; round++) {
      pass(300)
      clock.calibrate(noon - 1_000 + round * 300)
    }
    assert.equal(clock.nowMs(), noon - 1_000 + 60 * 300)
  })

  it('follows at once where the database’s clock was set, forwards or back', () => {
    const { clock, pass } = start()
    for (const told of [noon + 3_600_000, noon - 3_600_000, noon + 1]) {
      pass(300)
      clock.calibrate(told)
      assert.equal(clock.nowMs(), told)
    }
  })
})
