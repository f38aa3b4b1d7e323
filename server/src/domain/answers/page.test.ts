import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import { parseCursor, readPage } from './page.ts'

describe('a list', () => {
  const all = Array.from({ length: 7 }, (_, index) => index + 1)
  const pageAfter = (after: number, limit: number) =>
    readPage(
      limit,
      async (most) => all.filter((number) => number > after).slice(0, most),
      (number) => String(number),
    )

  for (const limit of [1, 2, 3, 6, 7, 8]) {
    it(`is read whole in pages of ${limit}, nothing twice, and its last page says that it is the last`, async () => {
      const read: number[] = []
      for (let cursor: string | null = '0', pages = 0; cursor !== null; pages++) {
        assert.ok(pages < Math.ceil(all.length / limit), 'no page follows the last')
        const page = await pageAfter(Number(cursor), limit)
        read.push(...page.rows)
        cursor = page.nextCursor
      }
      assert.deepEqual(read, all)
    })
  }

  it('of nothing is one page', async () => {
    assert.deepEqual(await pageAfter(7, 3), { rows: [], nextCursor: null })
  })
})

describe('a cursor', () => {
  const parse = (text: string) => (/^\d+$/.test(text) ? Number(text) : null)

  it('is where a page goes on, and nowhere at the beginning', () => {
    assert.equal(parseCursor('12', parse), 12)
    assert.equal(parseCursor(null, parse), null)
  })

  it('that no page has answered is refused', () => {
    for (const text of ['', 'x', '12 ']) {
      assert.throws(
        () => parseCursor(text, parse),
        (error) => error instanceof AppError && error.errorName === 'ValidationError',
      )
    }
  })
})
