/** What is kept only for a while, as the modules declare it, compared with PostgreSQL's own catalogue. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { cutByDay } from '../src/platform/partitions.ts'
import { kept } from '../src/worker/upkeep.ts'
import { createTestDatabase } from './harness/database.ts'

const database = await createTestDatabase()
after(database.close)

/** Tables, without the partitions of days. */
const tablesWhere = async (condition: string) =>
  (
    await database.query<{ name: string }>(
      `select relname::text as name from pg_class t
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and ${condition} order by 1`,
    )
  ).map(({ name }) => name)
const expiring = await tablesWhere(
  `exists (select 1 from pg_attribute where attrelid = t.oid and attname = 'expires_at' and not attisdropped)`,
)
const cut = await tablesWhere(`relkind = 'p'`)
const saidOf = (table: string) => kept.filter((one) => one.table === table)

describe('what modules keep for a while', () => {
  it('is found in the catalogue at all', () => {
    assert.ok(expiring.length > 15)
    assert.ok(cut.length >= 5)
  })

  for (const table of new Set([...expiring, ...cut])) {
    it(`has ${table} in it, by the word of exactly one module`, () => {
      assert.equal(saidOf(table).length, 1)
    })
  }

  it('is nothing else, so that upkeep looks for no table that is not there', () => {
    const known = new Set([...expiring, ...cut])
    assert.deepEqual(
      kept.filter(({ table }) => !known.has(table)),
      [],
    )
  })

  it('goes by day exactly where a table is cut by day', () => {
    const byDay = kept.filter(({ goes }) => goes === 'by day').map(({ table }) => table)
    assert.deepEqual(byDay.toSorted(), cut)
    assert.deepEqual(Object.keys(cutByDay).toSorted(), cut)
  })

  it('goes as docs/architecture.md says', () => {
    const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
    const [part = ''] = page.split('## Tables, and how they shrink')[1]?.split('\n## ') ?? []
    const rows = [...part.matchAll(/^\| (`.*?) \| .* \| (.*) \|$/gm)]
    /** The tables of rows that say this. */
    const saying = (words: string) =>
      rows.flatMap(([, tables = '', shrinks = '']) =>
        shrinks.includes(words)
          ? [...tables.matchAll(/`(\w+)(…?)`/g)].flatMap(([, name = '', rest]) =>
              rest ? expiring.filter((table) => table.startsWith(name)) : name,
            )
          : [],
      )
    const going = (how: string) => kept.flatMap(({ table, goes }) => (goes === how ? table : []))
    assert.deepEqual(saying('`expires_at`').toSorted(), going('by row').toSorted())
    assert.deepEqual(saying("a day's partition").toSorted(), going('by day').toSorted())
  })
})
