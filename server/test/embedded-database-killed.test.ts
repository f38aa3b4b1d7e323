/** The embedded database when it, its server or both are killed, stopped or started twice. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedDatabase } from '../src/platform/embedded-database.ts'
import {
  count,
  keepFolders,
  killPostmaster,
  query,
  readPostmasterPid,
  silent,
} from './embedded-database-support.ts'

describe('the embedded database', () => {
  const { newDataDir, usedDataDir, startServer } = keepFolders()

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
    // A session that is busy must not delay the recovery.
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

    // Closing it during a restart ends it for good.
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
    // As a terminal does: the signal goes to the whole process group.
    process.kill(-server.child.pid, 'SIGINT')
    await server.hear('stopped')
    assert.equal(await readPostmasterPid(dataDir), undefined)
  })
})

/** Whether PostgreSQL has begun to write its files, in a folder that is not in its final place yet. */
async function isHalfMade(dataDir: string): Promise<boolean> {
  const staging = (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new-'))
  const inside = await Promise.all(
    staging.map((name) => readdir(join(dataDir, name, 'data')).catch(() => [])),
  )
  return inside.flat().includes('base')
}
