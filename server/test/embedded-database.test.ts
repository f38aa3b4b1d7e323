/** The embedded database: what it keeps, who may read it, and what it leaves behind. */
import assert from 'node:assert/strict'
import { appendFile, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { startEmbeddedDatabase, startThrowawayDatabase } from '../src/platform/embedded-database.ts'
import { count, keepFolders, query, readPostmasterPid, silent } from './embedded-database-support.ts'
import { until } from './harness/fixtures.ts'

const isRoot = process.getuid?.() === 0

describe('the embedded database', () => {
  const { newDataDir, usedDataDir } = keepFolders()

  it('keeps its data over a stop and a start, closed to everyone but its owner', async () => {
    const dataDir = newDataDir()
    const first = await startEmbeddedDatabase({ dataDir, log: silent })
    await query(first.url, 'create table kept (id int primary key)')
    await query(first.url, 'insert into kept select generate_series(1, 1000)')
    const { rows: settings } = await query(
      first.url,
      `select name, setting from pg_settings
        where name in ('fsync', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'server_encoding')
        order by name`,
    )
    assert.deepEqual(
      settings.map(({ name, setting }) => `${name}=${setting}`),
      [
        'fsync=on',
        'listen_addresses=127.0.0.1',
        'server_encoding=UTF8',
        'synchronous_commit=on',
        'unix_socket_directories=',
      ],
    )
    await Promise.all([first.close(), first.close()])
    assert.equal(await readPostmasterPid(dataDir), undefined)
    assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600)
    assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)

    const second = await startEmbeddedDatabase({ dataDir, log: silent })
    assert.equal(await count(second.url), 1000)
    await assert.rejects(query(second.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1'), { code: '28P01' })
    await second.close()
    assert.deepEqual((await readdir(dataDir)).sort(), ['postgres', 'postgres-password', 'postgres.log'])
  })

  it('names a full disk when it does not start, and else only what it has just said', async () => {
    const dataDir = await usedDataDir()
    await appendFile(join(dataDir, 'postgres', 'postgresql.conf'), '\nno_such_setting = 1\n')
    await assert.rejects(
      startEmbeddedDatabase({ dataDir, log: silent, freeBytesOf: async () => 0 }),
      /^Error: The disk of .+ is full: 0 MB are free/,
    )
    await assert.rejects(startEmbeddedDatabase({ dataDir, log: silent }), ({ message }: Error) => {
      assert.match(message, /does not start\. The end of .+no_such_setting/s)
      assert.doesNotMatch(message, /shut down/)
      return true
    })
  })

  it('names a full disk when it cannot be brought back, and is back once there is room', async () => {
    const dataDir = await usedDataDir()
    const settings = join(dataDir, 'postgres', 'postgresql.conf')
    const good = await readFile(settings)
    const lines: string[] = []
    const database = await startEmbeddedDatabase({
      dataDir,
      log: (line) => lines.push(line),
      freeBytesOf: async () => 0,
    })
    await appendFile(settings, '\nno_such_setting = 1\n')
    process.kill((await readPostmasterPid(dataDir)) ?? assert.fail('it runs'), 'SIGKILL')
    await until('the disk to be named', () => lines.some((line) => /^The disk of .+ is full/.test(line)))
    await writeFile(settings, good)
    await until('the database', () => lines.includes('the database is back'))
    await database.close()
  })

  it('orders and folds text the same on every machine', async () => {
    const database = await startThrowawayDatabase()
    const { rows } = await query(database.url, "select upper('žluťoučký') as folded, 'a' < 'B' as ordered")
    assert.deepEqual(rows, [{ folded: 'ŽLUŤOUČKÝ', ordered: false }])
    await database.close()
  })

  it('works in a folder that only root may enter: parallel workers, templates, checkpoints', {
    skip: !isRoot,
  }, async () => {
    const dataDir = await usedDataDir()
    for (let start = 0; start < 2; start += 1) {
      const database = await startEmbeddedDatabase({ dataDir, log: silent })
      const client = new pg.Client(database.url)
      await client.connect()
      await client.query('create table if not exists many as select generate_series(1, 200000) as id')
      await client.query('set debug_parallel_query = on; set min_parallel_table_scan_size = 0; analyze many')
      const { rows } = await client.query('explain (analyze, format json) select count(*) from many')
      assert.match(JSON.stringify(rows), /"Workers Launched":[1-9]/)
      await client.query(`create database copy_${start} template template0 strategy file_copy`)
      await client.query('checkpoint')
      await client.query('select pg_reload_conf(), pg_switch_wal()')
      await client.query('vacuum full many')
      await client.end()
      await database.close()
    }
  })

  it('starts a copy of a running folder as a database of its own', async () => {
    const dataDir = await usedDataDir()
    const first = await startEmbeddedDatabase({ dataDir, log: silent })
    await query(first.url, 'create table kept as select generate_series(1, 10) as id')
    await first.close()
    const copyDir = newDataDir()
    await cp(dataDir, copyDir, { recursive: true })
    const original = await startEmbeddedDatabase({ dataDir, log: silent })
    const pidFile = join('postgres', 'postmaster.pid')
    await cp(join(dataDir, pidFile), join(copyDir, pidFile))
    const copy = await startEmbeddedDatabase({ dataDir: copyDir, log: silent })
    assert.notEqual(copy.url, original.url)
    assert.equal(await count(copy.url), 10)
    await copy.close()
    assert.equal(await count(original.url), 10)
    await original.close()
  })

  it('writes nothing into its log that people sent, and keeps the log small', async () => {
    const dataDir = newDataDir()
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(6_000_000, 'x'))
    const database = await startEmbeddedDatabase({ dataDir, log: silent })
    await query(database.url, 'create table recipients (recipient text primary key)')
    await query(database.url, 'insert into recipients values ($1)', ['+420777123456'])
    const refused: [string, string[]][] = [
      ['insert into recipients values ($1)', ['+420777123456']],
      ['select $1::uuid', ['+420777123456']],
      ["select '+420777123456'::inet", []],
    ]
    for (const [sql, values] of refused) await assert.rejects(query(database.url, sql, values))
    await database.close()
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    assert.match(log, /database system is shut down/)
    assert.ok(!log.includes('420777123456'))
    assert.ok(log.length < 1_000_000)
  })

  it('for tests leaves nothing behind', async () => {
    const before = await throwawayFolders()
    const database = await startThrowawayDatabase()
    await query(database.url, 'select 1')
    assert.equal((await throwawayFolders()).length, before.length + 1)
    await database.close()
    assert.deepEqual(await throwawayFolders(), before)
  })
})

async function throwawayFolders(): Promise<string[]> {
  const mine = `countersign-throwaway-${process.pid}-`
  return (await readdir(tmpdir())).filter((name) => name.startsWith(mine))
}
