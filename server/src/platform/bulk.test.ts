import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { bulkOf } from './bulk.ts'

const arrayOf = (...values: unknown[]) =>
  bulkOf<unknown>({ one: ['text', (row) => row] }, 1).values(values)[0]

describe('the values of a bulk statement', () => {
  it('are one parameter for each column, numbered from the first', () => {
    const bulk = bulkOf<{ a: number }>({ a: ['integer', (row) => row.a], b: ['text', () => 'x'] }, 4)
    assert.equal(bulk.source, 'unnest($4::integer[], $5::text[]) row (a, b)')
    assert.equal(bulk.next, 6)
    assert.deepEqual(bulk.values([{ a: 1 }, { a: 2 }]), ['{1,2}', '{x,x}'])
  })

  it('are written as PostgreSQL reads them, whatever a text holds', () => {
    assert.equal(
      arrayOf('otp_1', '', 'null', 'NULL', null, 'a b', 'a,b', '{}', 'say "\\"', '€'),
      '{otp_1,"","null","NULL",null,"a b","a,b","{}","say \\"\\\\\\"","€"}',
    )
    assert.equal(
      arrayOf(1, -2n, true, Buffer.from([1, 255]), new Date(0)),
      '{1,-2,true,"\\\\x01ff","1970-01-01T00:00:00.000Z"}',
    )
    assert.throws(() => arrayOf({}))
  })

  it('keep control characters and halves of characters, which JSON would write as other ones', () => {
    assert.equal(arrayOf('a\n"b"', '\u{1f600}', '\ud83d'), '{"a\n\\"b\\"","\u{1f600}","\ud83d"}')
  })

  it('of a column of JSON are read back as they were, line breaks and halves of characters in them too', () => {
    const bulk = bulkOf<unknown>({ one: ['jsonb', (row) => JSON.stringify(row)] }, 1)
    const [text = ''] = bulk.values([{ a: 'line\n"two" \\ \ud83d' }])
    const element = text.slice(2, -2).replaceAll(/\\(.)/gsu, '$1')
    assert.deepEqual(JSON.parse(element), { a: 'line\n"two" \\ \ud83d' })
  })
})

describe('a statement for many rows', () => {
  it('has its columns from one description: none writes its arrays by hand', () => {
    const sources = new URL('../', import.meta.url)
    const byHand = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('platform/bulk'))
      .filter((name) => /unnest\([^;]*?\$\d+::\w+\[\]\)?,/.test(readFileSync(new URL(name, sources), 'utf8')))
    assert.deepEqual(byHand, [])
  })
})
