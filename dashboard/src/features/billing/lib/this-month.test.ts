import assert from 'node:assert/strict'
import { it } from 'node:test'
import { byCountry, monthOf, thisMonth } from './this-month.ts'

const dayMs = 86_400_000

/** Thirty days up to that of `now`, with the same amount spent on each. */
const spend = (now: string, spent: string, since = '2026-01-01T00:00:00.000Z') => {
  const today = Math.floor(Date.parse(now) / dayMs) * dayMs
  const days = Array.from({ length: 30 }, (_, index) => new Date(today - (29 - index) * dayMs).toISOString())
  return { by_day: days.map((day) => ({ day, spent })), per_day: spent, since }
}
const at = (now: string, ...rest: [spent: string, since?: string]) =>
  thisMonth(spend(now, ...rest), Date.parse(now))

it('says what this month has cost so far, and what it comes to if it goes on like this', () => {
  assert.deepEqual(at('2026-11-10T12:00:00.000Z', '1.000001'), {
    label: 'This month',
    spent: '10.000010',
    expected: 10.00001 + 20.5 * 1.000001,
  })
})

it('says nothing of the end of the month from less than a day', () => {
  assert.equal(at('2026-11-10T12:00:00.000Z', '1.000000', '2026-11-10T02:00:00.000Z')?.expected, null)
  assert.equal(at('2026-11-10T12:00:00.000Z', '0.000000')?.expected, null)
})

it('calls thirty days by their name where the month has one more', () => {
  assert.deepEqual(at('2026-10-31T12:00:00.000Z', '1.000000'), {
    label: 'Last 30 days',
    spent: '30.000000',
    expected: null,
  })
})

it('is asked for with both its ends, in UTC', () => {
  const range = { from: '2026-12-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' }
  for (const now of ['2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'])
    assert.deepEqual(monthOf(Date.parse(now)), range)
})

it('adds up what each country cost in several apps, the dearest first', () => {
  const row = (key: string, messages: number, cost: string) => ({ key, messages, cost })
  const apps = [
    { rows: [row('GB', 2, '0.080000'), row('none', 1, '0.001000')] },
    { rows: [row('DE', 1, '0.200001'), row('GB', 1, '0.040000')] },
  ]
  assert.deepEqual(byCountry(apps), [
    { country: 'DE', messages: 1, spent: '0.200001' },
    { country: 'GB', messages: 3, spent: '0.120000' },
    { country: null, messages: 1, spent: '0.001000' },
  ])
})
