/** What the schema promises, checked against PostgreSQL's own catalogue. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cutByDay } from '../src/platform/partitions.ts'
import { tenantTables } from '../src/platform/tenant.ts'
import { kept } from '../src/worker/upkeep.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { startNode } from './harness/node.ts'

/** Tables whose rows are deleted by their own `expires_at`. */
const shortLived = kept.filter(({ goes }) => goes !== 'by day').map(({ table }) => table)
/** Tables that do not grow with traffic, or not without end, and why. */
const settled: Readonly<Record<string, string>> = {
  companies: 'as many as the operator opens',
  apps: 'as many as companies make',
  rule_revisions: 'the last hundred of an app',
  keys: 'a few to an app',
  providers: 'a few to a company',
  webhook_endpoints: 'a few to an app',
  alert_settings: 'one to a company',
  alert_states: 'as many as hold now',
  people: 'as many as are invited',
  members: 'a few to a company',
  passkeys: 'a few to a person',
  audit_chains: 'one to a company',
  ledger: 'old entries are carried forward into one',
  prices: 'one row',
  changes: 'one row',
  figures_progress: 'one row',
  partition_upkeep: 'one row',
  data_keys: 'one row a rotation',
  signing_keys: 'the one that signs, the next and the last',
  migrations: 'one row a migration',
}
/** Short-lived tables in which rows are few, and why: they may refer to others, as settled ones may. */
const few: Readonly<Record<string, string>> = {
  invitations: 'people of a company',
  exceptions: 'at most a thousand of a company',
  sessions: 'browsers of a person',
  sign_in_links: 'made by operators, for people',
}
/** Tables whose rows belong to no company, and why. */
const operatorKeys: Readonly<Record<string, string>> = {
  prices: 'one price book, the operator’s',
  changes: 'one revision for all',
  figures_progress: 'one mark for all',
  partition_upkeep: 'one look for all',
  workers: 'a worker serves all',
  canaries: 'the operator’s own, one to an account',
  data_keys: 'keys of the installation',
  signing_keys: 'keys of the installation',
  migrations: 'the schema’s own history',
  people: 'a person may be a member of several companies',
  sessions: 'a person’s, and found by what the cookie says',
  sign_in_links: 'found by what the link says',
  passkeys: 'a person’s, and found by what the browser says',
  passkey_challenges: 'found by what the browser signs',
}

/** Indexes of tenants' tables that do not begin with the company, and why. */
const foundOtherwise: Readonly<Record<string, string>> = {
  companies_by_name: 'the list of companies',
  alert_settings_due: 'whose turn it is to be looked at',
  alert_notices_due: 'what is to be told now',
  companies_closed: 'upkeep looks for what is left to erase',
  apps_by_id: 'a key and a path name an app alone',
  apps_deleted: 'upkeep looks for what is left to erase',
  keys_by_id: 'a path names a key alone',
  providers_by_id: 'a path names an account alone',
  events_by_id: 'a path names an event alone',
  verifications_by_id: 'a path names a verification alone, and figures are gathered over all',
  deliveries_by_id: 'a receipt names a delivery alone',
  deliveries_held: 'a worker holds what it has in hand of all',
  deliveries_by_message: 'an account of the operator’s carries for all',
  early_receipts_unswept: 'few are ever left, and each is looked at once more',
  links_pkey: 'a message names the number that it came to',
  members_of_person: 'a person may be a member of several companies',
  invitations_of_person: 'a person may be invited by several companies',
  audit_entries_by_id: 'the operator reads the trail of all',
}

describe('the schema', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await (await startNode(database.url)).close()
  })

  after(() => database?.close())

  const tables = () =>
    database.query<{ name: string; kind: string }>(
      `select relname::text as name, relkind::text as kind from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    )

  it('says of every table how its rows go away', async () => {
    const known = new Set([...Object.keys(cutByDay), ...shortLived, ...Object.keys(settled)])
    const unknown = (await tables()).map(({ name }) => name).filter((name) => !known.has(name))
    assert.deepEqual(unknown, [], 'tables that no list of this file names')
  })

  it('cuts every table that grows by day', async () => {
    const kinds = new Map((await tables()).map(({ name, kind }) => [name, kind]))
    for (const name of Object.keys(cutByDay)) {
      if (kinds.has(name)) assert.equal(kinds.get(name), 'p', name)
    }
    for (const [name, kind] of kinds) {
      if (kind === 'p') assert.ok(name in cutByDay, name)
    }
  })

  it('gives every partitioned table the same days', async () => {
    const rows = await database.query<{ parent: string; days: string[] }>(
      `select parent.relname::text as parent, array_agg(right(child.relname, 8)::text order by child.relname) as days
         from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
        where parent.relkind = 'p' group by 1`,
    )
    assert.ok(rows.length >= 4)
    for (const { days } of rows) assert.deepEqual(days, rows[0]?.days)
  })

  it('has no partition that would take what belongs nowhere', async () => {
    const defaults = await database.query(`select 1 from pg_partitioned_table where partdefid <> 0`)
    assert.equal(defaults.length, 0)
  })

  it('finds what is expired by an index, in every short-lived table', async () => {
    for (const table of shortLived) {
      const found = await database.query(
        `select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indrelid = $1::regclass and a.attname = 'expires_at'`,
        [table],
      )
      assert.equal(found.length, 1, table)
    }
  })

  it('begins every key and every index of tenants’ rows with the company, but for those that say why not', async () => {
    const indexes = await database.query<{ table: string; index: string; first: string | null }>(
      `select t.relname::text as table, c.relname::text as index, a.attname::text as first
         from pg_index i
         join pg_class c on c.oid = i.indexrelid
         join pg_class t on t.oid = i.indrelid
         left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where t.relnamespace = 'public'::regnamespace and not t.relispartition`,
    )
    assert.ok(indexes.length > 30)
    const otherwise = indexes.filter(
      ({ table, first }) => !(table in operatorKeys) && first !== 'company_id' && first !== 'expires_at',
    )
    assert.deepEqual(otherwise.map(({ index }) => index).sort(), Object.keys(foundOtherwise).sort())
  })

  it('has a company in every row of every table that is not the operator’s', async () => {
    const without = await database.query<{ table: string }>(
      `select relname::text as table from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not exists (select 1 from pg_attribute
                           where attrelid = c.oid and attname = 'company_id' and attnotnull) order by 1`,
    )
    assert.deepEqual(
      without.map(({ table }) => table),
      Object.keys(operatorKeys).sort(),
    )
    const tenants = (await tables()).map(({ name }) => name).filter((name) => !(name in operatorKeys))
    assert.deepEqual(tenants, [...tenantTables].sort())
  })

  it('gives every table a primary key', async () => {
    const without = await database.query<{ name: string }>(
      `select relname::text as name from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not exists (select 1 from pg_index where indrelid = c.oid and indisprimary)`,
    )
    assert.deepEqual(without, [])
  })

  it('sorts every id in a key byte by byte, as ids are made to be sorted', async () => {
    const wrong = await database.query<{ column: string }>(
      `select t.relname || '.' || a.attname as column
         from pg_index i
         join pg_class t on t.oid = i.indrelid
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::smallint[])
         left join pg_collation l on l.oid = a.attcollation
        where i.indisprimary and t.relnamespace = 'public'::regnamespace and not t.relispartition
          and a.attname like '%\\_id' and l.collname is distinct from 'C'`,
    )
    assert.deepEqual(wrong, [])
  })

  it('has foreign keys only where rows are few, so that no partition is held by one', async () => {
    const references = await database.query<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
    )
    for (const { from, to } of references) {
      assert.ok(from in settled || from in few, from)
      assert.ok(to in settled, to)
    }
  })

  it('has an index under every foreign key, so that no check reads a whole table', async () => {
    const bare = await database.query<{ name: string }>(
      `select conname::text as name from pg_constraint f
        where contype = 'f' and not exists (
          select 1 from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1])`,
    )
    assert.deepEqual(bare, [])
  })

  it('has no index that another one makes superfluous', async () => {
    const doubles = await database.query<{ index: string; by: string }>(
      `select a.indexrelid::regclass::text as index, b.indexrelid::regclass::text as by
         from pg_index a
         join pg_index b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
         join pg_class t on t.oid = a.indrelid
        where t.relnamespace = 'public'::regnamespace and not t.relispartition and not a.indisunique
          and a.indpred is null and b.indpred is null and a.indexprs is null and b.indexprs is null
          and (b.indkey::text || ' ') like (a.indkey::text || ' %')`,
    )
    assert.deepEqual(doubles, [])
  })
})
