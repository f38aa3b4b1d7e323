import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pageSizeOf } from './page.ts'

it('a page has 50 rows unless 1 to 1,000 are asked for; anything else is refused', () => {
  assert.equal(pageSizeOf({}), 50)
  assert.deepEqual(
    ['1', '1000'].map((PageSize) => pageSizeOf({ PageSize })),
    [1, 1_000],
  )
  for (const PageSize of ['0', '-1', '1001', '1.5', 'many', '1e9'])
    assert.throws(() => pageSizeOf({ PageSize }), PageSize)
})
