import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Database } from './database.ts'
import { Pulse } from './pulse.ts'

const attemptMs = 15_000

/** A worker whose time the test moves, and whose database takes every sign of life. */
function makePulse(test: TestContext) {
  let nowMs = 1_000_000
  let sleptMs = 0
  test.mock.method(performance, 'now', () => nowMs)
  test.mock.method(Date, 'now', () => nowMs + sleptMs)
  let beatMs = 0
  const query = async () => {
    nowMs += beatMs
    return { rows: [] }
  }
  const database = { query } as unknown as Database
  return {
    pulse: new Pulse('worker', database),
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
    delayBeats: (ms: number) => {
      beatMs = ms
    },
    sleep: (ms: number) => {
      sleptMs += ms
    },
  }
}

describe('a worker that says it lives', () => {
  it('begins only what ends before others may take it over, by its lease or its last sign of life', async (test) => {
    const { pulse, now, pass } = makePulse(test)
    await pulse.beat()
    const claimedAtMs = now()
    pass(15_000)
    assert.ok(pulse.covers(claimedAtMs, attemptMs))
    pass(1)
    assert.ok(!pulse.covers(claimedAtMs, attemptMs))
  })

  it('counts from before its sign of life, which the database may have taken at once', async (test) => {
    const { pulse, now, pass, delayBeats } = makePulse(test)
    const claimedAtMs = now()
    pass(12_000)
    delayBeats(3_000)
    await pulse.beat()
    pass(7_000)
    assert.ok(pulse.covers(claimedAtMs, attemptMs))
    pass(1)
    assert.ok(!pulse.covers(claimedAtMs, attemptMs))
  })
})

describe('a worker that stood still', () => {
  it('does not begin what it held before, since others may have taken that over, whatever it says now', async (test) => {
    const { pulse, now, pass } = makePulse(test)
    await pulse.beat()
    const claimedAtMs = now()
    assert.ok(pulse.covers(claimedAtMs, attemptMs))
    pass(60_000)
    await pulse.beat()
    assert.ok(!pulse.covers(claimedAtMs, attemptMs))
    assert.ok(pulse.covers(now(), attemptMs), 'what it claims from now on is its own')
  })

  it('keeps what it held if it was away for so short a time that nobody took over', async (test) => {
    const { pulse, now, pass } = makePulse(test)
    await pulse.beat()
    const claimedAtMs = now()
    for (let beats = 0; beats < 10; beats++) {
      pass(12_000)
      await pulse.beat()
    }
    assert.ok(pulse.covers(claimedAtMs, attemptMs))
  })

  it('counts as late for a moment after its sign of life, so that others are heard before anything is taken from them', async (test) => {
    const { pulse, pass } = makePulse(test)
    await pulse.beat()
    assert.ok(!pulse.isLate())
    pass(60_000)
    assert.ok(pulse.isLate())
    await pulse.beat()
    assert.ok(pulse.isLate())
    pass(5_000)
    await pulse.beat()
    assert.ok(!pulse.isLate())
  })

  it('notices that the whole machine slept, which steady time does not show', async (test) => {
    const { pulse, now, sleep } = makePulse(test)
    await pulse.beat()
    const claimedAtMs = now()
    sleep(3_600_000)
    assert.ok(pulse.isLate())
    assert.ok(!pulse.covers(claimedAtMs, attemptMs))
    await pulse.beat()
    assert.ok(pulse.isLate())
    assert.ok(!pulse.covers(claimedAtMs - 1, attemptMs))
    assert.ok(pulse.covers(now(), attemptMs))
  })
})
