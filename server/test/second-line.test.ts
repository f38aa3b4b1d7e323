/**
 * What must hold is refused by the database too, whatever statement breaks it. Generated from PostgreSQL's catalogue: a
 * row of every table, every foreign key, every list of words, and every place where a row names its company, app or
 * person. The other constraints and the triggers each have a write below that breaks them; one without is missing here.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { newId } from '../src/platform/ids.ts'
import { cutByDay, type Parent } from '../src/platform/partitions.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { broken, first, mine, type Owner, owner, particular, theirs, unheld } from './second-line-writes.ts'

const integrity = /^23/
const checkViolation = '23514'

interface Column {
  readonly name: string
  readonly type: string
  readonly isNeeded: boolean
}
interface Table {
  readonly name: string
  readonly columns: readonly Column[]
}
interface Constraint {
  readonly table: string
  readonly name: string
  readonly type: 'c' | 'f'
  readonly columns: readonly string[]
  readonly definition: string
}

const sample: readonly (readonly [RegExp, string])[] = [
  [/\[\]$/, `'{}'`],
  [/^json/, `'{}'`],
  [/^bool/, 'false'],
  [/^timestamp/, 'now()'],
  [/int|^real|^double/, '1'],
  [/./, `'x'`],
]
/** The words of a list, such as `kind = any (array['send'::text, 'resend'::text])`. */
const wordsOf = (definition: string) =>
  /^CHECK \(\(\w+ = ANY \(ARRAY\[[^\]]+\]\)\)\)$/.test(definition)
    ? [...definition.matchAll(/'([^']+)'::text/g)].map(([, word = '']) => word)
    : []

describe('the database by itself', () => {
  let database: TestDatabase
  let client: pg.Client
  let tables: readonly Table[]
  let constraints: readonly Constraint[]

  before(async () => {
    database = await createTestDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    tables = await database.query<Table & pg.QueryResultRow>(
      `select c.relname::text as name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
              'isNeeded', a.attnotnull and not a.atthasdef) order by a.attnum) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by 1 order by 1`,
    )
    constraints = await database.query<Constraint & pg.QueryResultRow>(
      `select k.conrelid::regclass::text as table, k.conname::text as name, k.contype::text as type, pg_get_constraintdef(k.oid) as definition,
              array(select a.attname::text from unnest(k.conkey) with ordinality key (number, place)
                      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.number order by place) as columns
         from pg_constraint k join pg_class c on c.oid = k.conrelid
        where k.contype in ('c', 'f') and c.relnamespace = 'public'::regnamespace and not c.relispartition order by 2`,
    )
    const rest = tables.map(({ name }) => name).filter((name) => !first.includes(name))
    await database.query('delete from apps')
    await database.query('delete from companies')
    for (const table of [...first, ...rest]) await fill(table, mine)
    for (const table of first) await fill(table, theirs)
  })
  after(async () => {
    await client?.end()
    await database?.close()
  })

  /** Writes one row, made of the types of its columns, unless there is one. */
  async function fill(name: string, ids: typeof mine): Promise<void> {
    const columns = tables.find((table) => table.name === name)?.columns ?? []
    const plainValueOf = ({ name: column, type }: Column) => {
      if (column in ids) return `'${ids[column as Owner]}'`
      // A different one for each owner, as a hash is.
      if (type === 'bytea') return `'${ids.company_id}'`
      const kind = cutByDay[name as Parent]
      if (kind && column === `${kind === 'verification' ? 'otp' : kind}_id`)
        return `'${newId(kind, Date.now())}'`
      const [word] = constraints
        .filter((one) => one.table === name && one.columns.includes(column))
        .flatMap(({ definition }) => wordsOf(definition))
      return word ? `'${word}'` : (sample.find(([pattern]) => pattern.test(type))?.[1] ?? '')
    }
    const special = particular[name] ?? {}
    const given = columns.filter((column) => column.isNeeded || column.name in special || column.name in ids)
    await database.query(
      `insert into ${name} (${given.map((column) => column.name)})
       values (${given.map((column) => special[column.name] ?? plainValueOf(column))}) on conflict do nothing`,
    )
  }

  /** What the last of these writes is refused with; null if it is not. Nothing of them stays. */
  async function refusalOf(writes: readonly string[]): Promise<pg.DatabaseError | null> {
    await client.query('begin')
    try {
      for (const write of writes.slice(0, -1)) await client.query(write)
      await client.query('savepoint last')
      const last = await client.query(writes.at(-1) ?? '').then(
        ({ rowCount }) => rowCount,
        (error: unknown) => error,
      )
      if (last instanceof pg.DatabaseError) return last
      assert.ok(last, `changes no row: ${writes.at(-1)}`)
      return null
    } finally {
      await client.query('rollback')
    }
  }

  it('refuses every word that is not in the list of its column', async () => {
    const lists = constraints.filter(({ definition }) => wordsOf(definition).length > 0)
    assert.ok(lists.length > 20)
    for (const { table, name, columns } of lists) {
      const copy = `insert into ${table} select (jsonb_populate_record(t, '{"${columns[0]}": "other"}')).* from ${table} t limit 1`
      assert.equal((await refusalOf([copy]))?.code, checkViolation, name)
    }
  })

  it('refuses every row that belongs to nobody, or to an app of somebody else', async () => {
    const references = constraints.filter(({ type }) => type === 'f')
    for (const { table, name, columns } of references) {
      const below = references.filter(({ definition }) => definition.includes(` REFERENCES ${table}(`))
      const emptied = below.map((reference) => `delete from ${reference.table}`)
      for (const column of columns) {
        const foreign = columns.length > 1 ? theirs[column as Owner] : 'nobody'
        // Revisions of rules are never updated.
        const write =
          table === 'rule_revisions'
            ? `insert into ${table} select (jsonb_populate_record(t, '{"${column}": "${foreign}"}')).* from ${table} t`
            : `update ${table} set ${column} = '${foreign}'`
        assert.equal((await refusalOf([...emptied, write]))?.constraint, name, write)
      }
    }
  })

  it('holds a row to its company, app and person, but for those that say why not', async () => {
    const held = new Set(
      constraints
        .filter(({ type }) => type === 'f')
        .flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
    )
    const places = tables
      .filter(({ name }) => !first.includes(name))
      .flatMap(({ name, columns }) =>
        columns.filter((column) => column.name in mine).map((column) => `${name}.${column.name}`),
      )
    assert.deepEqual(places.filter((place) => !held.has(place)).sort(), Object.values(unheld).flat().sort())
  })

  it('gives an id that is looked up alone to one owner', async () => {
    for (const [table, id] of [
      ['apps', 'app_id'],
      ['keys', 'key_id'],
      ['providers', 'provider_id'],
    ] as const) {
      const other = `{"company_id": "${theirs.company_id}"${id === 'app_id' ? '' : `, "app_id": "${theirs.app_id}"`}}`
      const copy = `insert into ${table} select (jsonb_populate_record(t, '${other}')).* from ${table} t where company_id = '${mine.company_id}'`
      assert.equal((await refusalOf([copy]))?.constraint, `${table}_by_id`)
    }
  })

  it('has no constraint and no trigger without a write here that it refuses', async () => {
    const triggers = await database.query<{ name: string }>(
      `select tgname::text as name from pg_trigger join pg_class c on c.oid = tgrelid where not tgisinternal and not c.relispartition`,
    )
    const others = constraints.filter(
      ({ type, definition }) => type === 'c' && wordsOf(definition).length === 0,
    )
    const names = [...triggers, ...others].map(({ name }) => name)
    assert.deepEqual(Object.keys(broken).sort(), names.sort())
  })

  it('is described in docs/architecture.md: every trigger is named, and every name is one', async () => {
    const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
    const [part = ''] = page.split('## What the database itself refuses')[1]?.split('\n## ') ?? []
    const said = [...part.matchAll(/^\| .* \| (.*) \|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    const triggers = await database.query<{ name: string; table: string }>(
      `select tgname::text as name, c.relname::text as table from pg_trigger join pg_class c on c.oid = tgrelid
        where not tgisinternal and not c.relispartition`,
    )
    assert.deepEqual(
      triggers.filter(({ name, table }) => !said.includes(name) && !said.includes(table)),
      [],
    )
    const unique = await database.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where indisunique',
    )
    const known = new Set([
      ...[...constraints, ...unique, ...triggers].map(({ name }) => name),
      ...triggers.map(({ table }) => table),
    ])
    assert.deepEqual(
      said.filter((name) => !known.has(name)),
      [],
    )
  })

  for (const [name, all] of Object.entries(broken)) {
    it(`refuses what breaks ${name}`, async () => {
      for (const writes of all) {
        const refusal = await refusalOf(writes)
        assert.match(refusal?.code ?? '', integrity, writes.join('; '))
        const isTrigger = refusal?.constraint === undefined
        if (isTrigger) assert.match(refusal?.where ?? '', /^PL\/pgSQL function refuse_/)
        else assert.equal(refusal?.constraint, name, writes.join('; '))
      }
    })
  }

  it('lets a company that is closed lose its owner', async () => {
    const closed = `update companies set closed_at = now() where company_id = '${mine.company_id}'`
    assert.equal(await refusalOf([owner(), closed, 'delete from members']), null)
  })

  it('keeps an owner of two who leave at once', async () => {
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    const remove = (who: string) => `delete from members where person_id = '${who}'`
    try {
      await database.query(`update members set role = 'owner'`)
      await database.query(
        `insert into members (company_id, person_id, role) values ('${mine.company_id}', '${theirs.person_id}', 'owner')`,
      )
      await client.query('begin')
      await client.query(remove(mine.person_id))
      const second = other.query(remove(theirs.person_id)).catch((error: unknown) => error)
      await client.query('commit')
      await second
      assert.equal((await database.query(`select 1 from members where role = 'owner'`)).length, 1)
    } finally {
      await other.end()
    }
  })

  it('lets an owner leave while somebody who has just become one waits to leave', async () => {
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    const lock = (who: string) =>
      `select 1 from members where company_id = '${theirs.company_id}' and person_id in (${who}) order by person_id for update`
    const leave = (who: string) =>
      `delete from members where company_id = '${theirs.company_id}' and person_id = '${who}'`
    try {
      await database.query(
        `insert into people (person_id, email, email_hash) values ('usr_a', 'a', 'a'), ('usr_b', 'b', 'b'), ('usr_c', 'c', 'c')`,
      )
      await database.query(
        `insert into members (company_id, person_id, role)
         select '${theirs.company_id}', person_id, 'owner' from unnest(array['usr_a', 'usr_b', 'usr_c']) person_id`,
      )
      await client.query('begin')
      // The first was no owner yet.
      await client.query(lock(`'usr_b', 'usr_c'`))
      await other.query('begin')
      await other.query(lock(`'usr_a'`))
      const second = other.query(lock(`'usr_b', 'usr_c'`))
      await client.query(leave('usr_c'))
      await client.query('commit')
      await second
      await other.query(leave('usr_a'))
      await other.query('commit')
      const left = await database.query(
        `select person_id from members where company_id = '${theirs.company_id}'`,
      )
      assert.deepEqual(left, [{ person_id: 'usr_b' }])
    } finally {
      await other.end()
    }
  })
})
