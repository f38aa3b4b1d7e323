import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { spanOf, spanTitle } from '#lib/period.ts'
import { type RefusedPlace, refusedPlaceInWords, whenInWords } from './refused-places.ts'

const point = (starts_at: string) => ({ starts_at, count: 1, price: '0.050000' })
const placed = (more: Partial<RefusedPlace>): RefusedPlace => ({
  rule: 'pumping',
  country: 'AZ',
  level: null,
  place: null,
  count: 1,
  price: '0.050000',
  points: [],
  ...more,
})

describe('a place where something was refused', () => {
  for (const [more, where, what] of [
    [{ level: 'r10k', place: '+99450330xxxx' }, '+99450330xxxx', 'The range of 10,000 numbers, Azerbaijan'],
    [{ level: 'carrier', place: 'AZ 50' }, 'Azerbaijan, numbers in 50…', 'A carrier'],
    [{ level: 'country', place: 'AZ' }, 'Azerbaijan', 'A whole country'],
    [{ level: 'ip', place: null }, 'Azerbaijan', 'Client addresses'],
    [{ rule: 'geo' }, 'Azerbaijan', null],
    [{ rule: 'recipient', country: null }, 'No country', 'Email addresses and invalid numbers'],
  ] as const) {
    it(`is ${where}${what ? ` (${what})` : ''}`, () =>
      assert.deepEqual(refusedPlaceInWords(placed(more)), { where, what }))
  }

  it('says when: one day, or the first and the last', () => {
    const span = spanOf('7d', Date.parse('2026-11-16T12:00:00Z'))
    const days = ['2026-11-12T00:00:00.000Z', '2026-11-15T00:00:00.000Z']
    const [first, last] = days.map((day) => spanTitle(span, day))
    const points = days.map(point)
    assert.equal(whenInWords(span, placed({ points: points.slice(0, 1) })), first)
    assert.equal(whenInWords(span, placed({ points })), `${first} – ${last}`)
  })
})
