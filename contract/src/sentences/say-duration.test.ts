import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sayDuration } from './say-duration.ts'

describe('a duration in a sentence', () => {
  for (const [seconds, said] of [
    [0, '0 seconds'],
    [1, 'a second'],
    [29, '29 seconds'],
    [60, 'a minute'],
    [89, '89 seconds'],
    [118, '2 minutes'],
    [300, '5 minutes'],
    [598, '10 minutes'],
    [3_599, 'an hour'],
    [3_600, 'an hour'],
    [3_601, '61 minutes'],
    [7_200, '2 hours'],
    [86_399, 'a day'],
    [86_400, 'a day'],
    [130_000, '2 days'],
  ] as const)
    it(`of ${seconds} seconds is said as ${said}`, () => assert.equal(sayDuration(seconds), said))

  it('is never shorter than it is', () => {
    const sizes = { second: 1, minute: 60, hour: 3_600, day: 86_400 }
    for (let seconds = 1; seconds < 400_000; seconds += 7) {
      const [count = '', unit = ''] = sayDuration(seconds).split(' ')
      const size = sizes[unit.replace(/s$/, '') as keyof typeof sizes]
      const told = (Number(count) || 1) * size
      assert.ok(told >= seconds && told < 2 * seconds, `${seconds} s as ${count} ${unit}`)
    }
  })
})
