import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginningOf, pointsByStep, stepsOf } from './debt-series.ts'

describe('what a place owed over time', () => {
  it('has every step of the time asked for, also those without a point', () => {
    const steps = stepsOf({ from: '2026-05-01T10:00:00.000Z', to: '2026-05-01T11:00:00.000Z', step_s: 900 })
    assert.deepEqual(steps, [
      '2026-05-01T10:00:00.000Z',
      '2026-05-01T10:15:00.000Z',
      '2026-05-01T10:30:00.000Z',
      '2026-05-01T10:45:00.000Z',
    ])
  })

  it('finds a point by its instant, however it is written', () => {
    const point = { at: '2026-05-01T10:15:00Z', debt: 3, threshold: 6, held: 1, watched: 0 }
    const held = { held: 1, watched: 0, held_price: '0.050000', watched_price: '0.000000' }
    const pointAt = pointsByStep({ level: 'country', place: 'GB', ...held, points: [point] })
    assert.equal(pointAt('2026-05-01T10:15:00.000Z'), point)
    assert.equal(pointAt('2026-05-01T10:30:00.000Z'), undefined)
  })

  it('is asked for from the same instant within a minute', () => {
    const now = Date.parse('2026-05-01T10:15:00Z')
    assert.equal(beginningOf('3h', now + 59_000), '2026-05-01T07:15:00.000Z')
    assert.equal(beginningOf('7d', now), '2026-04-24T10:15:00.000Z')
  })
})
