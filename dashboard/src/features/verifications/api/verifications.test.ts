import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withStorage } from '#lib/storage-support.ts'
import { chooseZone } from '#lib/time-zone.ts'
import { verificationsFile } from './verifications.ts'

it('a day of the filter is a day of the times that the page shows', () =>
  withStorage(() => {
    chooseZone('Asia/Tokyo')
    const address = new URL(verificationsFile('app_1', { from: '2026-01-31', to: '2026-01-31' }), 'http://x')
    assert.deepEqual(
      [address.searchParams.get('from'), address.searchParams.get('to')],
      ['2026-01-30T15:00:00.000Z', '2026-01-31T15:00:00.000Z'],
    )
  }))

it('days that do not form a range are not asked for', () => {
  const address = verificationsFile('app_1', { from: '2026-02-01', to: '2026-01-31' })
  assert.doesNotMatch(address, /from|to=/)
})
