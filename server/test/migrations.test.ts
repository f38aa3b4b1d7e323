/** Each migration is applied once, even if two nodes start at once. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { migrate } from '../src/platform/migrate.ts'
import { createTestDatabase, migrationsFolder, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, started, until, verify } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database?.close())

describe('migrations', () => {
  let folder = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  })

  after(() => rm(folder, { recursive: true, force: true }))

  /** Creates an empty database on the same server. */
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
      const applied = await Promise.all(
        Array.from({ length: 4 }, () => migrate(url, migrationsFolder, (line) => logged.push(line))),
      )
      const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
      const { rows } = await query('select name from migrations order by name')
      assert.deepEqual(
        rows.map((row) => row.name),
        files,
      )
      assert.equal(logged.length, files.length)
      assert.deepEqual(applied.flat().sort(), files)
      const changes = await query('select 1 from changes')
      assert.equal(changes.rowCount, 1)
    })
  })

  it('may take longer than a database lets statements take, as one behind a pooler has to', async () => {
    const asserts = await mkdtemp(join(tmpdir(), 'migrations-'))
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
    await writeFile(
      join(asserts, '0001_unlimited.sql'),
      limits
        .map((name) => `select 1 / (coalesce(current_setting('${name}', true), '0') = '0')::int;`)
        .join('\n'),
    )
    await withEmpty(async (url, query) => {
      const name = new URL(url).pathname.slice(1)
      const { rows } = await query(`select name from pg_settings where name in ('${limits.join("', '")}')`)
      for (const { name: limit } of rows) await query(`alter database ${name} set ${limit} = '8s'`)
      assert.deepEqual(await migrate(url, asserts, () => {}), ['0001_unlimited.sql'])
    })
    await rm(asserts, { recursive: true })
  })

  it('that are all applied are not applied again', async () => {
    const logged: string[] = []
    const applied = await migrate(database.url, migrationsFolder, (line) => logged.push(line))
    assert.deepEqual([logged, applied], [[], []])
  })

  it('of a newer version are refused in words that say what to do', async () => {
    await withEmpty(async (url, query) => {
      await migrate(url, migrationsFolder, () => {})
      await query(
        `insert into migrations (name, sha256) values ('9998_more.sql', ''), ('9999_future.sql', '')`,
      )
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

  it('that have changed since they were applied are refused, whether or not it is known what they were', async () => {
    await withEmpty(async (url, query) => {
      const own = join(folder, 'changed')
      await cp(migrationsFolder, own, { recursive: true })
      await writeFile(join(own, '9000_table.sql'), 'create table changing (\n  id int\n);')
      await migrate(url, own, () => {})
      // Different line endings are not a change.
      await writeFile(join(own, '9000_table.sql'), 'create table changing (\r\n  id int\r\n);')
      await migrate(url, own, () => {})
      await writeFile(join(own, '9000_table.sql'), 'create table changing (id int, more int);')
      const refused = /unreleased .* 9000_table\.sql has changed .* empty database/
      await assert.rejects(
        migrate(url, own, () => {}),
        refused,
      )
      await query('alter table migrations drop column sha256')
      await writeFile(join(own, '9000_table.sql'), 'create table changing (\n  id int\n);')
      await assert.rejects(
        migrate(url, own, () => {}),
        /0001_schema\.sql, .*9000_table\.sql has changed/,
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

  it('of the next version are applied while this one serves, and it goes on', async () => {
    const own = join(folder, 'next')
    await cp(migrationsFolder, own, { recursive: true })
    await writeFile(
      join(own, '9000_made_up.sql'),
      `-- Beside the version before: it neither reads nor writes the new column, and its inserts leave it empty.
       alter table verifications add column made_up text;
       alter table deliveries add column made_up integer not null default 0;`,
    )
    const serving = await createTestDatabase()
    const node = await startNode(serving.url)
    // A long read is running: the migration must not wait in front of everybody else.
    const reader = new pg.Client({ connectionString: serving.url })
    try {
      const { serverKey } = await createTenant(node)
      await reader.connect()
      await reader.query('begin')
      await reader.query('select count(*) from deliveries')
      const answers: number[] = []
      let isOver = false
      const load = (async () => {
        while (!isOver) answers.push((await send(node, serverKey, { recipient: freshPhone() })).status)
      })()
      const migrated = migrate(serving.url, own, () => {})
      await until('a wait that was given up', async () => {
        const waits = await serving.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '-- Beside%'`,
        )
        return waits.length > 0
      })
      await reader.query('commit')
      await migrated
      const before = answers.length
      await until('more calls', () => answers.length > before + 5)
      isOver = true
      await load
      // On a busy machine some get a 503; none is lost or broken.
      assert.deepEqual(
        answers.filter((status) => status !== 200 && status !== 503),
        [],
      )
      assert.ok(answers.slice(before).includes(200))
      const { otpId, code } = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
      await assert.rejects(
        migrate(serving.url, migrationsFolder, () => {}),
        /made by a newer Countersign/,
      )
    } finally {
      await reader.end()
      await node.close()
      await serving.close()
    }
  })

  it('of this version lock nothing that a batch which is under way still needs', async () => {
    await withEmpty(async (url, query) => {
      const own = join(folder, 'first')
      await cp(migrationsFolder, own, { recursive: true, filter: (path) => !/000[2-9]_/.test(path) })
      await migrate(url, own, () => {})
      const batch = new pg.Client({ connectionString: url })
      await batch.connect()
      try {
        await batch.query(`set lock_timeout = '800ms'; begin; select 1 from companies for no key update`)
        const migrated = migrate(url, migrationsFolder, () => {})
        await until('the migration waits', async () => {
          const { rows } = await query('select 1 from pg_locks where not granted and relation is not null')
          return rows.length > 0
        })
        for (const table of ['verifications', 'exceptions', 'limits', 'links', 'idempotency_keys', 'ledger'])
          await batch.query(`select 1 from ${table} for update`)
        await batch.query('update companies set balance_micros = balance_micros; commit')
        assert.ok((await migrated).length > 0)
      } finally {
        await batch.end()
      }
    })
  })

  it('that lock two tables in the opposite order to a transaction that is running let it end, and are applied', async () => {
    await withEmpty(async (url, query) => {
      const own = join(folder, 'crossing')
      await cp(migrationsFolder, own, { recursive: true })
      await migrate(url, own, () => {})
      await writeFile(
        join(own, '9000_crossing.sql'),
        `-- Beside the version before: nothing changes.
         -- Sooner than the lock is given up, so that it is this transaction which is told of the deadlock.
         set local deadlock_timeout = '300ms';
         lock table verifications; lock table deliveries;`,
      )
      const running = new pg.Client({ connectionString: url })
      await running.connect()
      try {
        await running.query(`set deadlock_timeout = '60s'; begin; lock table deliveries`)
        const migrated = migrate(url, own, () => {})
        await until('the migration waits', async () => {
          const { rows } = await query(
            `select 1 from pg_locks where not granted and relation = 'deliveries'::regclass`,
          )
          return rows.length > 0
        })
        await running.query('lock table verifications; commit')
        assert.deepEqual(await migrated, ['9000_crossing.sql'])
      } finally {
        await running.end()
      }
    })
  })

  it('say of each but the first why the version before may go on beside it', async () => {
    const files = (await readdir(migrationsFolder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
    for (const name of files.slice(1))
      assert.match(await readFile(join(migrationsFolder, name), 'utf8'), /^-- Beside the version before: .+/)
  })

  it('are only those files that are numbered SQL', async () => {
    await withEmpty(async (url, query) => {
      const own = join(folder, 'others')
      await cp(migrationsFolder, own, { recursive: true })
      for (const name of ['readme.md', '1_short.sql', '9000_note.txt', '9000.sql'])
        await writeFile(join(own, name), 'nonsense')
      await migrate(url, own, () => {})
      const { rows } = await query(`select name from migrations where name like '9000%' or name like '1\\_%'`)
      assert.deepEqual(rows, [])
    })
  })
})
