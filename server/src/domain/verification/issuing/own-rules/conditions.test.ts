import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Circumstances, conditionsOf } from './conditions.ts'

describe('an hour of a rule', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => hour)
  const held = (range: { gte?: number; lte?: number }) =>
    hours.filter((hour) => {
      const nowMs = Date.UTC(2026, 0, 2, hour, 59)
      return conditionsOf({ hour: range }).every(({ holds }) => holds({ nowMs } as Circumstances))
    })

  it('is one from the first to the last, in UTC', () => {
    assert.deepEqual(held({ gte: 8, lte: 11 }), [8, 9, 10, 11])
    assert.deepEqual(held({ gte: 20 }), [20, 21, 22, 23])
    assert.deepEqual(held({ lte: 2 }), [0, 1, 2])
  })

  it('may go over midnight', () => {
    assert.deepEqual(held({ gte: 22, lte: 1 }), [0, 1, 22, 23])
  })
})
