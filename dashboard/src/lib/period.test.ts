import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { spanOf } from './period.ts'

const now = Date.parse('2026-11-15T05:43:10.000Z')

describe('a period', () => {
  it('is whole days of UTC, the running one included, and the same length before it', () => {
    const span = spanOf('7d', now)
    assert.equal(span.from, '2026-11-09T00:00:00.000Z')
    assert.equal(span.before, '2026-11-02T00:00:00.000Z')
    assert.equal(span.keys.length, 7)
    assert.equal(span.keys.at(-1), '2026-11-15T00:00:00.000Z')
  })

  it('of a day is whole hours, and stays the same within an hour', () => {
    const span = spanOf('24h', now)
    assert.equal(span.from, '2026-11-14T06:00:00.000Z')
    assert.deepEqual(spanOf('24h', now + 16 * 60_000), span)
  })
})
