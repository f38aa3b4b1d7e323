import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { asksForCsv, cellOf, csvPageRows, Exports, mostCsvRows } from './csv.ts'

describe('a cell', () => {
  for (const [value, cell] of [
    [null, ''],
    ['plain', 'plain'],
    ['with, comma', '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['two\nlines', '"two\nlines"'],
    [' blank', '" blank"'],
    [12, '12'],
    [true, 'true'],
    [{ a: 1 }, '"{""a"":1}"'],
    ['-0.050000', '-0.050000'],
    ['=1+1', "'=1+1"],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['+44****56', "'+44****56"],
    ['-1+2', "'-1+2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ] as const) {
    it(`of ${JSON.stringify(value)} is ${JSON.stringify(cell)}`, () => {
      assert.equal(cellOf(value), cell === '"\'\t=1"' ? "'\t=1" : cell)
    })
  }
})

const csv = { rows: 'things', columns: ['id'] }
const all = async (lines: AsyncGenerator<string>) => {
  let text = ''
  for await (const line of lines) text += line
  return text
}

describe('a file', () => {
  it('has every page, read one after the other as it is taken', async () => {
    const asked: (string | null)[] = []
    const lines = await new Exports().start(csv, async (cursor) => {
      asked.push(cursor)
      return {
        things: [{ id: cursor ?? 'first' }],
        next_cursor: asked.length < 3 ? `after-${asked.length}` : null,
      }
    })
    assert.deepEqual(asked, [null], 'nothing further is read before it is taken')
    assert.equal(await all(lines), 'id\r\nfirst\r\nafter-1\r\nafter-2\r\n')
  })

  it('ends at its bound, however long the list is', async () => {
    const page = { things: Array.from({ length: csvPageRows }, () => ({ id: 1 })), next_cursor: 'more' }
    let pages = 0
    const lines = await new Exports().start(csv, async () => {
      pages++
      return page
    })
    assert.equal((await all(lines)).split('\r\n').length - 2, mostCsvRows)
    assert.equal(pages, mostCsvRows / csvPageRows)
  })

  it('is one of few at a time, and makes room when it is done, left or refused', async () => {
    const exports = new Exports()
    const one = async () => ({ things: [], next_cursor: null })
    const open = await Promise.all(Array.from({ length: 4 }, () => exports.start(csv, one)))
    for (const lines of open) await lines.next()
    await assert.rejects(exports.start(csv, one), { errorName: 'UnavailableError' })
    const [done, ...left] = open
    if (done) await all(done)
    for (const lines of left) await lines.return(undefined)
    const refused = exports.start(csv, () => Promise.reject(new Error('no')))
    await assert.rejects(refused, { message: 'no' })
    for (let count = 0; count < 4; count++) await (await exports.start(csv, one)).next()
  })
})

it('is made only for who asks for it', () => {
  assert.ok(asksForCsv('text/csv'))
  assert.ok(asksForCsv('application/json;q=0.5, Text/CSV; charset=utf-8'))
  assert.ok(!asksForCsv('*/*'))
  assert.ok(!asksForCsv(undefined))
})
