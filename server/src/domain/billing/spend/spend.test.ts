import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Counter, type Note, Spend } from './spend.ts'

const dayMs = Date.UTC(2026, 0, 2)
const tenMs = dayMs + 10 * 3_600_000
const nowMs = tenMs + 600_000

const counter = (name: string, sinceMs: number, more: Partial<Counter> = {}): Counter => ({
  appId: 'app_1',
  name,
  sinceMs,
  spentMicros: 50n,
  approvedMicros: 20n,
  bestMicros: 0n,
  bestSpentMicros: 0n,
  isStored: true,
  ...more,
})
const note = (spentMicros: bigint, approvedMicros: bigint, more: Partial<Note> = {}): Note => ({
  appId: 'app_1',
  country: 'GB',
  sentAtMs: nowMs - 60_000,
  spentMicros,
  approvedMicros,
  ...more,
})
const current = (more: Partial<Counter> = {}) => [
  counter('day:GB', dayMs, more),
  counter('hour', tenMs, more),
]
const counted = (spend: Spend, period: 'day' | 'hour') => {
  const { spentMicros, approvedMicros } = spend.count(period, 'app_1', 'GB')
  return [spentMicros, approvedMicros]
}

describe('a note of what was returned or approved', () => {
  it('changes the day and the hour of its send', () => {
    const spend = new Spend({ counters: current(), notes: [note(-30n, 0n), note(0n, 15n)] }, nowMs)
    for (const period of ['day', 'hour'] as const) assert.deepEqual(counted(spend, period), [20n, 35n])
    assert.equal(spend.changed().length, 2)
  })

  it('about a send of an hour before leaves this hour as it is', () => {
    const earlier = counter('hour', tenMs - 3_600_000)
    const sentAtMs = tenMs - 1
    const spend = new Spend(
      { counters: [...current(), earlier], notes: [note(-30n, 10n, { sentAtMs })] },
      nowMs,
    )
    assert.deepEqual(counted(spend, 'hour'), [50n, 20n])
    assert.deepEqual(counted(spend, 'day'), [20n, 30n])
    assert.deepEqual(
      spend.changed().map(({ name, sinceMs, spentMicros }) => [name, sinceMs, spentMicros]),
      [
        ['day:GB', dayMs, 20n],
        ['hour', earlier.sinceMs, 20n],
      ],
    )
  })

  it('about a send that was never counted changes nothing', () => {
    const none = { spentMicros: 0n, approvedMicros: 0n, isStored: false }
    const spend = new Spend({ counters: current(none), notes: [note(-30n, 0n), note(0n, 30n)] }, nowMs)
    for (const period of ['day', 'hour'] as const) assert.deepEqual(counted(spend, period), [0n, 0n])
    assert.deepEqual(spend.changed(), [])
  })

  it('that takes away more than was counted leaves nothing, not less: no later send passes for it', () => {
    const spend = new Spend({ counters: current(), notes: [note(-51n, -21n)] }, nowMs)
    for (const period of ['day', 'hour'] as const) assert.deepEqual(counted(spend, period), [0n, 0n])
  })
})

describe('a message', () => {
  it('is counted in the day of its country and in the hour of its app', () => {
    const spend = new Spend({ counters: [...current(), counter('day:', dayMs)], notes: [] }, nowMs)
    spend.record('app_1', null, 5n)
    assert.deepEqual(counted(spend, 'day'), [50n, 20n])
    assert.equal(spend.count('day', 'app_1', null).spentMicros, 55n)
    assert.deepEqual(counted(spend, 'hour'), [55n, 20n])
  })

  it('that costs nothing is not counted', () => {
    const spend = new Spend({ counters: current(), notes: [] }, nowMs)
    spend.record('app_1', 'GB', 0n)
    assert.deepEqual(spend.changed(), [])
  })
})
