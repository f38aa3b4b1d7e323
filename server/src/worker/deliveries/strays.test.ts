import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Strays } from './strays.ts'

const minuteMs = 60_000

describe('strays', () => {
  it('are looked for from before the time that was noted, every two seconds, for a minute', () => {
    const strays = new Strays()
    const nowMs = Math.ceil(performance.now())
    assert.equal(strays.due(nowMs), null)
    strays.note(1_000_000)
    strays.note(2_000_000)
    assert.equal(strays.due(nowMs + 1), 1_000_000 - minuteMs)
    assert.equal(strays.due(nowMs + 1_000), null)
    assert.equal(strays.due(nowMs + 2_001), 1_000_000 - minuteMs)
  })

  it('are looked for among all that is held once a minute, noted or not', () => {
    const strays = new Strays()
    const nowMs = Math.ceil(performance.now())
    assert.equal(strays.due(nowMs + minuteMs + 1), 0)
    assert.equal(strays.due(nowMs + minuteMs + 2), null)
    assert.equal(strays.due(nowMs + 2 * minuteMs + 2), 0)
  })
})
