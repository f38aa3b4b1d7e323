import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteRow } from '../api/routes.ts'
import { placesOf, savedBy } from './routes.ts'

const row = (country: string | null, sends: number, provider_id = 'prv_1'): RouteRow => ({
  provider_id,
  name: null,
  channel: country === null ? 'email' : 'sms',
  country,
  sends,
  delivered: 0,
  failed: 0,
  approved: 0,
  seconds_to_approve: null,
  price: null,
  conversion: null,
  cost_per_approval: null,
  low: null,
  high: null,
  share: 1,
  state: 'leading',
  saved: '0.000000',
})

test('accounts stand together by place, and the place with most messages first', () => {
  const places = placesOf([row('GB', 1), row(null, 3), row('BR', 4), row('GB', 5, 'prv_2')])
  assert.deepEqual(
    places.map(({ country, rows }) => [country, rows.length]),
    [
      ['GB', 2],
      ['BR', 1],
      [null, 1],
    ],
  )
})

test('what was saved is a sum, and nothing is said of next to nothing', () => {
  assert.equal(savedBy([{ saved: '1.250000' }, { saved: '-0.250000' }]), '1.000000')
  assert.equal(savedBy([{ saved: '0.001000' }]), null)
})
