import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseVerificationsSearch } from './search.ts'

it('the days of an address are such as the service can have something of', () => {
  const daysOf = (from: string, to: string) => {
    const search = parseVerificationsSearch({ from, to })
    return [search.from, search.to]
  }
  assert.deepEqual(daysOf('2026-01-31', '2026-02-01'), ['2026-01-31', '2026-02-01'])
  assert.deepEqual(daysOf('0002-01-31', '9999-12-31'), [undefined, undefined])
  assert.deepEqual(daysOf('2026-13-01', 'yesterday'), [undefined, undefined])
})
