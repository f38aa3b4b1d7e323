import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { asksForCsv, cellOf, csvPageRows, Exports, mostCsvRows, type ReadListPage } from './csv.ts'

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
    ['＝SUM(A1)', "'＝SUM(A1)"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['\n=1+1', '"\'\n=1+1"'],
    ['\t=1', '"\'\t=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ] as const) {
    it(`of ${JSON.stringify(value)} is ${JSON.stringify(cell)}`, () => {
      assert.equal(cellOf(value), cell === '"\'\t=1"' ? "'\t=1" : cell)
    })
  }
})

const csv = { rows: 'things', columns: ['id'] }
const all = async (lines: Readable) => {
  let text = ''
  for await (const line of lines) text += line
  return text
}

describe('a file', () => {
  it('has every page, read one after the other as it is taken', async () => {
    const asked: (string | null)[] = []
    const lines = await new Exports().start(csv, 'cmp_1', async (cursor) => {
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
    const lines = await new Exports().start(csv, 'cmp_1', async () => {
      pages++
      return page
    })
    assert.equal((await all(lines)).split('\r\n').length - 2, mostCsvRows)
    assert.equal(pages, mostCsvRows / csvPageRows)
  })

  const empty = async () => ({ things: [], next_cursor: null })
  const refusal = { errorName: 'UnavailableError', details: { retry_after: 5 } }
  const companies = ['cmp_1', 'cmp_2', 'cmp_3', 'cmp_4']

  it('is one of two of a company, also of many that are asked for at once, and one of eight on a node', async () => {
    const exports = new Exports()
    const start = (who: string) => exports.start(csv, who, empty)
    const tried = await Promise.allSettled(companies.flatMap((who) => [start(who), start(who), start(who)]))
    assert.deepEqual(
      tried.map(({ status }) => status),
      companies.flatMap(() => ['fulfilled', 'fulfilled', 'rejected']),
    )
    await assert.rejects(start('cmp_5'), refusal)
    for (const one of tried) if (one.status === 'fulfilled') one.value.destroy()
  })

  it('makes room when it is read, left, refused or broken', async () => {
    const exports = new Exports()
    const start = (read: ReadListPage = empty) => exports.start(csv, 'cmp_1', read)
    for (const end of [
      async () => all(await start()),
      async () => {
        const left = await start()
        left.destroy()
        await once(left, 'close')
      },
      () =>
        assert.rejects(
          start(() => Promise.reject(new Error('no'))),
          { message: 'no' },
        ),
      async () => {
        const broken = async (cursor: string | null) => {
          if (cursor) throw new Error('away')
          return { things: [], next_cursor: 'more' }
        }
        await assert.rejects(all(await start(broken)), { message: 'away' })
      },
    ]) {
      // Twice as many as may be made at once.
      for (let count = 0; count < 4; count++) await end()
    }
  })

  it('ends as an error, and makes room, when nobody reads on', async () => {
    const exports = new Exports(1)
    for (let count = 0; count < 4; count++) {
      const [error] = await once(await exports.start(csv, 'cmp_1', empty), 'error')
      assert.equal(error.message, 'nobody reads the file')
    }
  })

  it('is cut off with its connection, so that nobody takes a part for the whole', async () => {
    // More than fits into the buffers between the two.
    const page = {
      things: Array.from({ length: 1_000 }, () => ({ id: 'x'.repeat(32_768) })),
      next_cursor: 'more',
    }
    const exports = new Exports(50)
    const server = Fastify()
    const ended = new Promise<boolean>((resolve) => {
      server.get('/', async (_, reply) => {
        reply.raw.once('close', () => resolve(reply.raw.writableFinished))
        return reply.send(await exports.start(csv, 'cmp_1', async () => page))
      })
    })
    const reader = connect(
      Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port),
      '127.0.0.1',
    )
    reader.pause().on('error', () => {})
    reader.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    assert.equal(await ended, false)
    reader.destroy()
    await server.close()
  })
})

it('is made only for who asks for it', () => {
  assert.ok(asksForCsv('text/csv'))
  assert.ok(asksForCsv('application/json;q=0.5, Text/CSV; charset=utf-8'))
  assert.ok(!asksForCsv('*/*'))
  assert.ok(!asksForCsv(undefined))
})
