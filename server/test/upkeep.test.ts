/** Room made ahead, what is over taken away, and migrations, also from two nodes at once. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { carryForward } from '../src/domain/billing/index.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { type CompanyId, type IdKind, lowestId, newId } from '../src/platform/ids.ts'
import { migrate } from '../src/platform/migrate.ts'
import { dropOldPartitions, makePartitions } from '../src/platform/partitions.ts'
import { deleteExpired } from '../src/worker/upkeep.ts'
import { createTestDatabase, migrationsFolder, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const dayMs = 86_400_000
const idKinds: Readonly<Record<string, IdKind>> = {
  verifications: 'verification',
  deliveries: 'delivery',
  events: 'event',
  decisions: 'decision',
  event_attempts: 'event',
}
const dayName = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10).replaceAll('-', '')

describe('upkeep', { timeout: 120_000 }, () => {
  let database: TestDatabase
  /** Two nodes' pools. */
  let first: Database
  let second: Database

  before(async () => {
    database = await createTestDatabase()
    first = openDatabase(database.url, 6, () => {})
    second = openDatabase(database.url, 6, () => {})
  })

  after(async () => {
    await Promise.all([first?.close(), second?.close()])
    await database?.close()
  })

  const today = async () =>
    Math.floor(
      Number((await database.query<{ ms: string }>('select extract(epoch from now()) * 1000 as ms'))[0]?.ms) /
        dayMs,
    ) * dayMs
  const parents = async () =>
    (
      await database.query<{ name: string }>(
        `select relname::text as name from pg_class where relkind = 'p' order by 1`,
      )
    ).map(({ name }) => name)
  const daysOf = async (table: string) =>
    (
      await database.query<{ day: string }>(
        `select right(child.relname, 8)::text as day from pg_inherits join pg_class child on child.oid = inhrelid
          where inhparent = $1::regclass order by 1`,
        [table],
      )
    ).map(({ day }) => day)
  const makeOld = async (table: string, day: number) => {
    const idKind = idKinds[table]
    assert.ok(idKind, `${table} is cut by day; its kind of id belongs into the list above`)
    const start = (await today()) + day * dayMs
    await database.query(
      `create table if not exists ${table}_${dayName(start)} partition of ${table}
         for values from ('${lowestId(idKind, start)}') to ('${lowestId(idKind, start + dayMs)}')`,
    )
  }

  describe('partitions', () => {
    it('are there from yesterday to eight days ahead, for every table that is cut, though two nodes make them at once', async () => {
      await Promise.all([
        makePartitions(first),
        makePartitions(second),
        makePartitions(first),
        makePartitions(second),
      ])
      const start = await today()
      const wanted = Array.from({ length: 10 }, (_, index) => dayName(start + (index - 1) * dayMs))
      const tables = await parents()
      assert.ok(tables.length >= 4)
      for (const table of tables) {
        const days = await daysOf(table)
        for (const day of wanted) assert.ok(days.includes(day), `${table} ${day}`)
        assert.equal(days.at(-1), wanted.at(-1))
      }
    })

    it('can be made again and again without an effect', async () => {
      await makePartitions(first)
      const before = await daysOf('verifications')
      await makePartitions(first)
      assert.deepEqual(await daysOf('verifications'), before)
    })

    it('take an id of each of their days, from its first millisecond to its last', async () => {
      await makePartitions(first)
      const start = await today()
      for (const time of [
        start - dayMs,
        start - 1,
        start,
        start + dayMs - 1,
        start + dayMs,
        start + 9 * dayMs - 1,
      ]) {
        const id = newId('decision', time)
        const rows = await database.query<{ partition: string }>(
          `insert into decisions (company_id, app_id, decision_id, otp_id, kind, rules, created_at) values ('cmp_x', 'app_x', $1, 'otp_x', 'send', '[]', now())
           returning tableoid::regclass::text as partition`,
          [id],
        )
        assert.equal(rows[0]?.partition, `decisions_${dayName(time)}`)
      }
    })

    it('are dropped once retention is over and not a day before, though two nodes drop them at once', async () => {
      const retentionDays = 30
      const tables = await parents()
      for (const table of tables)
        for (const day of [-45, -40, -32, -31, -30, -29, -2]) await makeOld(table, day)
      const dropped = await Promise.all([
        dropOldPartitions(first, retentionDays),
        dropOldPartitions(second, retentionDays),
      ])
      const start = await today()
      const gone = [-45, -40, -32, -31].map((day) => dayName(start + day * dayMs))
      const kept = [-30, -29, -2, -1, 0].map((day) => dayName(start + day * dayMs))
      for (const table of tables) {
        const days = await daysOf(table)
        for (const day of gone) assert.ok(!days.includes(day), `${table} ${day}`)
        for (const day of kept.slice(0, 3)) assert.ok(days.includes(day), `${table} ${day}`)
      }
      const named = new Set(dropped.flat())
      for (const table of tables) for (const day of gone) assert.ok(named.has(`${table}_${day}`))
      assert.deepEqual(await dropOldPartitions(first, retentionDays), [])
    })

    it('are dropped with all that is in them, and nothing beside them', async () => {
      const start = await today()
      await makeOld('decisions', -60)
      await makeOld('decisions', -5)
      const insert = (time: number) =>
        database.query(
          `insert into decisions (company_id, app_id, decision_id, otp_id, kind, rules, created_at) values ('cmp_x', 'app_drop', $1, 'otp_x', 'send', '[]', now())`,
          [newId('decision', time)],
        )
      await insert(start - 60 * dayMs + 5)
      await insert(start - 5 * dayMs + 5)
      await dropOldPartitions(first, 30)
      assert.equal((await database.query(`select 1 from decisions where app_id = 'app_drop'`)).length, 1)
    })

    it('are looked after by a running node: missing ones are made, old ones dropped', async () => {
      const own = await createTestDatabase()
      let node: Node | undefined
      try {
        node = await startNode(own.url)
        await node.close()
        const start = await today()
        const old = dayName(start - 50 * dayMs)
        await own.query(
          `create table verifications_${old} partition of verifications
             for values from ('${lowestId('verification', start - 50 * dayMs)}') to ('${lowestId('verification', start - 49 * dayMs)}')`,
        )
        await own.query(`drop table deliveries_${dayName(start + 8 * dayMs)}`)
        node = await startNode(own.url)
        const has = async (name: string) =>
          (await own.query('select 1 from pg_class where relname = $1', [name])).length === 1
        await until('the old one to be dropped', async () => !(await has(`verifications_${old}`)))
        assert.ok(await has(`deliveries_${dayName(start + 8 * dayMs)}`))
        const { serverKey } = await createTenant(node)
        assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
      } finally {
        await node?.close()
        await own.close()
      }
    })
  })

  describe('short-lived rows', () => {
    const bite = 5_000
    /** What a row needs beside its key and `expires_at`; `n` numbers the rows. */
    const inserts = {
      idempotency_keys: `insert into idempotency_keys (company_id, key_hash, recipient_hash, answer, expires_at)
                         select $1, int4send(n), '', '', $3::timestamptz from generate_series(1, $2::int) n`,
      limits: `insert into limits (company_id, limit_key, state, expires_at)
               select $1, int4send(n), '{}', $3::timestamptz from generate_series(1, $2::int) n`,
      tokens: `insert into tokens (company_id, app_id, token_hash, otp_id, expires_at)
               select $1, 'app_x', int4send(n), 'otp_x', $3::timestamptz from generate_series(1, $2::int) n`,
      links: `insert into links (company_id, owner_id, number, reference_hash, app_id, otp_id, code_version, expires_at)
              select $1, $1, '1', int4send(n), 'app_x', 'otp_x', 1, $3::timestamptz from generate_series(1, $2::int) n`,
      unreachable: `insert into unreachable (company_id, app_id, recipient_hash, channel, expires_at)
                    select $1, 'app_x', int4send(n), 'sms', $3::timestamptz from generate_series(1, $2::int) n`,
      spend_counters: `insert into spend_counters (company_id, app_id, name, since, spent_micros, approved_micros, best_micros, expires_at)
                       select $1, 'app_x', 'day:' || n, now(), 0, 0, 0, $3::timestamptz from generate_series(1, $2::int) n`,
      spend_notes: `insert into spend_notes (company_id, app_id, otp_id, delivery_id, sent_at, spent_micros, approved_micros, expires_at)
                    select $1, 'app_x', 'otp_' || n, '', now(), 0, 0, $3::timestamptz from generate_series(1, $2::int) n`,
      guess_counts: `insert into guess_counts (company_id, app_id, since, guesses, failures, expires_at)
                     select $1, 'app_' || n, now(), 1, 1, $3::timestamptz from generate_series(1, $2::int) n`,
      guess_alarms: `insert into guess_alarms (company_id, app_id, raised_at, expires_at)
                     select $1, 'app_' || n, now(), $3::timestamptz from generate_series(1, $2::int) n`,
    } as const
    type Table = keyof typeof inserts
    const insert = (table: Table, owner: string, count: number, expiresAt: Date) =>
      database.query(inserts[table], [owner, count, expiresAt])
    const countOf = async (table: Table) =>
      Number((await database.query<{ count: string }>(`select count(*) from ${table}`))[0]?.count)
    const past = () => new Date(Date.now() - 60_000)
    const future = () => new Date(Date.now() + 3_600_000)

    for (const table of Object.keys(inserts) as Table[]) {
      it(`of ${table} are deleted a bite at a time, and only those that are over`, async () => {
        await database.query(`delete from ${table}`)
        await insert(table, 'over', bite + 10, past())
        await insert(table, 'live', 20, future())
        assert.equal(await deleteExpired(first, table), bite)
        assert.equal(await deleteExpired(first, table), 10)
        assert.equal(await deleteExpired(first, table), 0)
        assert.equal(await countOf(table), 20)
      })
    }

    it('are deleted once each by two nodes at once', async () => {
      await database.query('delete from limits')
      await insert('limits', 'over', 2 * bite, past())
      const counts = await Promise.all([deleteExpired(first, 'limits'), deleteExpired(second, 'limits')])
      assert.equal(counts[0] + counts[1], 2 * bite - (await countOf('limits')))
      while ((await deleteExpired(first, 'limits')) > 0);
      assert.equal(await countOf('limits'), 0)
    })

    it('that somebody holds are left for later, not waited for', async () => {
      await database.query('delete from tokens')
      await insert('tokens', 'over', 3, past())
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        await client.query('begin')
        await client.query(`select 1 from tokens where token_hash = int4send(1) for update`)
        assert.equal(await deleteExpired(first, 'tokens'), 2)
        await client.query('rollback')
      } finally {
        await client.end()
      }
      assert.equal(await deleteExpired(first, 'tokens'), 1)
    })

    it('are deleted by a running node, however many there are', async () => {
      const own = await createTestDatabase()
      let node: Node | undefined
      try {
        await own.query(inserts.tokens, ['over', 2 * bite + 1, past()])
        await own.query(inserts.tokens, ['live', 7, future()])
        node = await startNode(own.url)
        await until(
          'all that is over to be deleted',
          async () => (await own.query('select 1 from tokens')).length === 7,
        )
      } finally {
        await node?.close()
        await own.close()
      }
    })
  })

  describe('a ledger', () => {
    const oldMs = Date.now() - 500 * dayMs
    const bounds = () => ({
      entryId: newId('entry', oldMs + 50 * dayMs),
      before: lowestId('entry', oldMs + 50 * dayMs),
      limit: 5_000,
    })

    async function company(on: TestDatabase, old: number, recent: number): Promise<CompanyId> {
      const companyId = newId('company', Date.now())
      await on.query(
        `insert into companies (company_id, name, metered, balance_micros) values ($1, 'Acme', true, 0)`,
        [companyId],
      )
      const ids = [
        ...Array.from({ length: old }, (_, index) => newId('entry', oldMs + index)),
        ...Array.from({ length: recent }, (_, index) => newId('entry', Date.now() - index)),
      ]
      await on.query(
        `insert into ledger (company_id, entry_id, kind, amount_micros)
         select $1, id, 'credit', ordinality from unnest($2::text[]) with ordinality as row (id, ordinality)`,
        [companyId, ids],
      )
      await on.query(
        'update companies set balance_micros = (select sum(amount_micros) from ledger where company_id = $1) where company_id = $1',
        [companyId],
      )
      return companyId
    }
    const stateOf = async (on: TestDatabase, companyId: string) => {
      const [row] = await on.query<{ sum: string; balance: string; entries: string; carried: string }>(
        `select coalesce(sum(l.amount_micros), 0) as sum, c.balance_micros as balance, count(l.*) as entries,
                count(*) filter (where l.kind = 'carried') as carried
           from companies c left join ledger l using (company_id) where c.company_id = $1 group by c.balance_micros`,
        [companyId],
      )
      assert.ok(row)
      return {
        sum: BigInt(row.sum),
        balance: BigInt(row.balance),
        entries: Number(row.entries),
        carried: Number(row.carried),
      }
    }

    it('carried forward keeps its sum, and its recent entries', async () => {
      const companyId = await company(database, 100, 5)
      const before = await stateOf(database, companyId)
      assert.equal(await carryForward(first.of(companyId), bounds()), 100)
      const state = await stateOf(database, companyId)
      assert.deepEqual(state, { sum: before.sum, balance: before.balance, entries: 6, carried: 1 })
      assert.equal(state.sum, state.balance)
    })

    it('carried forward again and again stays one entry', async () => {
      const companyId = await company(database, 10, 2)
      for (let round = 0; round < 3; round++) {
        await carryForward(first.of(companyId), {
          ...bounds(),
          before: lowestId('entry', oldMs + (51 + round) * dayMs),
          entryId: newId('entry', oldMs + (51 + round) * dayMs),
        })
      }
      const state = await stateOf(database, companyId)
      assert.deepEqual([state.entries, state.carried], [3, 1])
      assert.equal(state.sum, state.balance)
    })

    it('with one old entry or none is left as it is', async () => {
      for (const old of [0, 1]) {
        const companyId = await company(database, old, 2)
        assert.equal(await carryForward(first.of(companyId), bounds()), 0)
        assert.deepEqual((await stateOf(database, companyId)).carried, 0)
      }
    })

    it('carried forward by two nodes at once, beside credits, still adds up', async () => {
      const companyId = await company(database, 400, 3)
      const credit = () =>
        database.query(
          `with company as (update companies set balance_micros = balance_micros + 7 where company_id = $1 returning company_id)
           insert into ledger (company_id, entry_id, kind, amount_micros) select company_id, $2, 'credit', 7 from company`,
          [companyId, newId('entry', Date.now())],
        )
      const before = await stateOf(database, companyId)
      await Promise.all([
        ...Array.from({ length: 6 }, (_, index) =>
          carryForward((index % 2 ? first : second).of(companyId), { ...bounds(), limit: 150 }),
        ),
        ...Array.from({ length: 20 }, credit),
      ])
      const state = await stateOf(database, companyId)
      assert.equal(state.sum, before.sum + 140n)
      assert.equal(state.sum, state.balance)
    })

    it('is carried forward by a running node, and the API shows what was carried', async () => {
      const own = await createTestDatabase()
      let node: Node | undefined
      try {
        const companyId = await company(own, 50, 2)
        const before = await stateOf(own, companyId)
        node = await startNode(own.url)
        await until('the ledger to be carried', async () => (await stateOf(own, companyId)).entries === 3)
        const state = await stateOf(own, companyId)
        assert.equal(state.sum, before.sum)
        const { body } = await node.manage('GET', `/companies/${companyId}/ledger`)
        assert.deepEqual(
          body.entries.map((entry: { kind: string }) => entry.kind),
          ['credit', 'credit', 'carried'],
        )
      } finally {
        await node?.close()
        await own.close()
      }
    })

    it('of more entries than one bite is carried forward whole', async () => {
      const own = await createTestDatabase()
      let node: Node | undefined
      try {
        const companyId = await company(own, 11_000, 1)
        node = await startNode(own.url)
        await until(
          'the ledger to be carried',
          async () => (await stateOf(own, companyId)).entries <= 5,
          3_000,
        )
      } finally {
        await node?.close()
        await own.close()
      }
    })
  })

  describe('migrations', () => {
    let folder = ''

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    })

    after(() => rm(folder, { recursive: true, force: true }))

    /** A database on the same server with nothing in it. */
    async function withEmpty(
      run: (url: string, query: (text: string) => Promise<pg.QueryResult>) => Promise<void>,
    ): Promise<void> {
      const name = `empty_${randomBytes(6).toString('hex')}`
      await database.query(`create database ${name}`)
      const url = new URL(database.url)
      url.pathname = `/${name}`
      try {
        await run(url.href, async (text) => {
          const client = new pg.Client({ connectionString: url.href })
          await client.connect()
          return client.query(text).finally(() => client.end())
        })
      } finally {
        await database.query(`drop database ${name} with (force)`)
      }
    }

    it('run from two connections at once are applied once each', async () => {
      await withEmpty(async (url, query) => {
        const logged: string[] = []
        await Promise.all(
          Array.from({ length: 4 }, () => migrate(url, migrationsFolder, (line) => logged.push(line))),
        )
        const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
        const { rows } = await query('select name from migrations order by name')
        assert.deepEqual(
          rows.map((row) => row.name),
          files,
        )
        assert.equal(logged.length, files.length)
        const changes = await query('select 1 from changes')
        assert.equal(changes.rowCount, 1)
      })
    })

    it('that are all applied are not applied again', async () => {
      const logged: string[] = []
      await migrate(database.url, migrationsFolder, (line) => logged.push(line))
      assert.deepEqual(logged, [])
    })

    it('of a newer version are refused in words that say what to do', async () => {
      await withEmpty(async (url, query) => {
        await migrate(url, migrationsFolder, () => {})
        await query(`insert into migrations (name) values ('9998_more.sql'), ('9999_future.sql')`)
        await assert.rejects(
          migrate(url, migrationsFolder, () => {}),
          (error: Error) => {
            assert.match(error.message, /newer/)
            assert.match(error.message, /9998_more\.sql, 9999_future\.sql/)
            return true
          },
        )
      })
    })

    it('that fail leave nothing of themselves, and go on once they are mended', async () => {
      await withEmpty(async (url, query) => {
        const own = join(folder, 'failing')
        await cp(migrationsFolder, own, { recursive: true })
        await writeFile(join(own, '9000_good.sql'), 'create table good (id int);')
        await writeFile(join(own, '9001_bad.sql'), 'create table half (id int); select 1 / 0;')
        await assert.rejects(
          migrate(url, own, () => {}),
          /division by zero/,
        )
        const tables = await query(`select relname from pg_class where relname in ('good', 'half')`)
        assert.deepEqual(tables.rows, [{ relname: 'good' }])
        await writeFile(join(own, '9001_bad.sql'), 'create table half (id int);')
        const logged: string[] = []
        await migrate(url, own, (line) => logged.push(line))
        assert.equal(logged.length, 1)
        assert.match(logged[0] ?? '', /9001_bad/)
      })
    })

    it('are only those files that are numbered SQL', async () => {
      await withEmpty(async (url, query) => {
        const own = join(folder, 'others')
        await cp(migrationsFolder, own, { recursive: true })
        for (const name of ['readme.md', '1_short.sql', '9000_note.txt', '9000.sql'])
          await writeFile(join(own, name), 'nonsense')
        await migrate(url, own, () => {})
        const { rows } = await query(
          `select name from migrations where name like '9000%' or name like '1\\_%'`,
        )
        assert.deepEqual(rows, [])
      })
    })
  })
})
