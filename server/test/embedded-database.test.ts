import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedDatabase, startThrowawayDatabase } from '../src/platform/embedded-database.ts'
import { importable } from './harness/program.ts'

const STEP_LIMIT_MS = 30_000
const isRoot = process.getuid?.() === 0
const silent = () => undefined

// A program of its own that can be killed, as an operator or the machine would.
const SERVER_PROGRAM = `
  const { startEmbeddedDatabase } = await import(process.env.MODULE_URL)
  const say = (kind, text) => process.stdout.write(JSON.stringify({ kind, text }) + '\\n')
  try {
    const database = await startEmbeddedDatabase({ dataDir: process.env.TEST_DATA_DIR, log: (text) => say('log', text) })
    process.once('SIGINT', async () => {
      const { default: pg } = await import('pg')
      const client = new pg.Client(database.url)
      await client.connect()
      await client.query('select 1')
      await client.end()
      await database.close()
      say('stopped', 'in order')
    })
    say('ready', database.url)
  } catch (error) {
    say('refused', error.message)
  }
`

describe('the embedded database', { timeout: 300_000 }, () => {
  let root = ''
  let usedDir = ''
  const servers: ChildProcess[] = []

  before(async () => {
    // Made with mode 0700: when root runs this, PostgreSQL's account may not enter it.
    root = await mkdtemp(join(tmpdir(), 'embedded database '))
    usedDir = newDataDir()
    await (await startEmbeddedDatabase({ dataDir: usedDir, log: silent })).close()
  })

  after(async () => {
    for (const server of servers) if (server.exitCode === null) server.kill('SIGKILL')
    for (const name of await readdir(root)) await killPostmaster(join(root, name))
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  const newDataDir = () => join(root, randomBytes(4).toString('hex'))

  /** A folder that has had its first start, for what is not about that one. */
  async function usedDataDir(): Promise<string> {
    const dataDir = newDataDir()
    // With the owners, which may be an account of PostgreSQL's own.
    await promisify(execFile)('cp', ['-Rp', usedDir, dataDir])
    return dataDir
  }

  function startServer(dataDir: string) {
    const { options, url } = importable(new URL('../src/platform/embedded-database.ts', import.meta.url))
    const child = spawn(process.execPath, [...options, '--input-type=module', '--eval', SERVER_PROGRAM], {
      cwd: import.meta.dirname,
      env: { ...process.env, TEST_DATA_DIR: dataDir, MODULE_URL: url.href },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    servers.push(child)
    const heard: { kind: string; text: string }[] = []
    createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line)))
    const hear = async (...kinds: string[]) => {
      const deadline = Date.now() + STEP_LIMIT_MS
      while (Date.now() < deadline) {
        const found = heard.find((message) => kinds.includes(message.kind))
        if (found) return found
        await sleep(20)
      }
      throw new Error(`the server said none of ${kinds.join(', ')}, only ${JSON.stringify(heard)}`)
    }
    const kill = async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    return { child, hear, kill }
  }

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

  it('takes over a database whose server was killed', async () => {
    const dataDir = await usedDataDir()
    const killed = startServer(dataDir)
    const { text: url } = await killed.hear('ready')
    await query(url, 'create table kept as select generate_series(1, 1000) as id')
    await killed.kill()
    const pid = await readPostmasterPid(dataDir)

    const next = await startEmbeddedDatabase({ dataDir, log: silent })
    assert.equal(await readPostmasterPid(dataDir), pid)
    assert.equal(await count(next.url), 1000)
    await next.close()
    assert.equal(await readPostmasterPid(dataDir), undefined)
  })

  it('recovers every committed row when server and database were killed', async () => {
    const dataDir = await usedDataDir()
    const killed = startServer(dataDir)
    const { text: url } = await killed.hear('ready')
    await query(url, 'create table kept as select generate_series(1, 50000) as id')
    // A session in the middle of work must not hold up the recovery.
    const busy = new pg.Client(url)
    busy.on('error', silent)
    await busy.connect()
    const work = busy.query('select pg_sleep(60)').catch(silent)
    await killed.kill()
    await killPostmaster(dataDir)
    await work

    const next = await startEmbeddedDatabase({ dataDir, log: silent })
    assert.equal(await count(next.url), 50000)
    await next.close()
  })

  it('refuses a second server on the same folder, and names the folder', async () => {
    const dataDir = await usedDataDir()
    const first = await startEmbeddedDatabase({ dataDir, log: silent })
    await assert.rejects(startEmbeddedDatabase({ dataDir, log: silent }), (error: Error) => {
      assert.ok(error.message.includes(dataDir), error.message)
      return true
    })
    await query(first.url, 'select 1')
    await first.close()
  })

  it('lets exactly one of four first starts at the same moment win', async () => {
    const dataDir = newDataDir()
    const rivals = Array.from({ length: 4 }, () => startServer(dataDir))
    const outcomes = await Promise.all(rivals.map((rival) => rival.hear('ready', 'refused')))
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['ready', 'refused', 'refused', 'refused'])
    for (const { kind, text } of outcomes)
      if (kind === 'refused') assert.match(text, /Another Countersign is running on/)
    const winner = rivals[outcomes.findIndex(({ kind }) => kind === 'ready')]
    winner?.child.kill('SIGINT')
    await winner?.hear('stopped')
    assert.deepEqual((await readdir(dataDir)).sort(), ['postgres', 'postgres-password', 'postgres.log'])
  })

  it('brings PostgreSQL back on the same address when somebody kills it, and stays the owner', async () => {
    const dataDir = await usedDataDir()
    const messages: string[] = []
    const database = await startEmbeddedDatabase({ dataDir, log: (message) => messages.push(message) })
    await query(database.url, 'create table kept as select generate_series(1, 10) as id')
    await killPostmaster(dataDir)
    while (!messages.includes('the database is back')) await sleep(50)
    assert.equal(await count(database.url), 10)
    await assert.rejects(startEmbeddedDatabase({ dataDir, log: silent }), /Another Countersign/)

    // Closing in the middle of a restart ends it for good.
    const restarts = () => messages.filter((message) => message.includes('starting it again')).length
    const before = restarts()
    await killPostmaster(dataDir)
    while (restarts() === before) await sleep(20)
    await database.close()
    await assert.rejects(query(database.url, 'select 1'), { code: 'ECONNREFUSED' })
  })

  it('is not misled by a pid file that names another program', async () => {
    const dataDir = await usedDataDir()
    const killed = startServer(dataDir)
    await killed.hear('ready')
    await killed.kill()
    const path = join(dataDir, 'postgres', 'postmaster.pid')
    const lines = (await readFile(path, 'utf8')).split('\n')
    await killPostmaster(dataDir)
    await writeFile(path, [process.pid, ...lines.slice(1)].join('\n'))
    const next = await startEmbeddedDatabase({ dataDir, log: silent })
    await query(next.url, 'select 1')
    await next.close()
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

  it('starts as if nothing had happened after a kill in the middle of the first start', async () => {
    const dataDir = newDataDir()
    const killed = startServer(dataDir)
    await killed.hear('log')
    while (!(await isHalfMade(dataDir))) await sleep(10)
    await killed.kill()
    const next = await startEmbeddedDatabase({ dataDir, log: silent })
    await query(next.url, 'select 1')
    await next.close()
    assert.deepEqual((await readdir(dataDir)).sort(), ['postgres', 'postgres-password', 'postgres.log'])
  })

  it('is still there for a server that Ctrl-C asks to stop', async () => {
    const dataDir = await usedDataDir()
    const server = startServer(dataDir)
    await server.hear('ready')
    assert.ok(server.child.pid)
    // What a terminal does: the signal goes to the whole process group.
    process.kill(-server.child.pid, 'SIGINT')
    await server.hear('stopped')
    assert.equal(await readPostmasterPid(dataDir), undefined)
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

async function query(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client(url)
  client.on('error', silent)
  await client.connect()
  try {
    return await client.query(sql, values)
  } finally {
    await client.end()
  }
}

async function count(url: string): Promise<number> {
  const { rows } = await query(url, 'select count(*)::int as count from kept')
  return rows[0].count
}

async function readPostmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return text ? Number.parseInt(text, 10) : undefined
}

async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await readPostmasterPid(dataDir)
  if (!pid || pid === process.pid) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

async function throwawayFolders(): Promise<string[]> {
  const mine = `countersign-throwaway-${process.pid}-`
  return (await readdir(tmpdir())).filter((name) => name.startsWith(mine))
}

/** Whether PostgreSQL has begun to write its files, in a folder that is not in place yet. */
async function isHalfMade(dataDir: string): Promise<boolean> {
  const staging = (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new-'))
  const inside = await Promise.all(
    staging.map((name) => readdir(join(dataDir, name, 'data')).catch(() => [])),
  )
  return inside.flat().includes('base')
}
