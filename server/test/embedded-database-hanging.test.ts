/** An embedded PostgreSQL that was told to stop and does not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startEmbeddedDatabase } from '../src/platform/embedded-database.ts'
import { stopSeconds } from '../src/platform/stop-signals.ts'
import { count, keepFolders, query, readPostmasterPid } from './embedded-database-support.ts'
import { until } from './harness/fixtures.ts'

/** PostgreSQL stops only after its checkpointer has written everything, so this pauses the checkpointer. */
async function holdCheckpointer(url: string): Promise<void> {
  const { rows } = await query(url, "select pid from pg_stat_activity where backend_type = 'checkpointer'")
  process.kill(rows[0].pid, 'SIGSTOP')
}

describe('an embedded database that hangs while it stops', () => {
  const { usedDataDir } = keepFolders()

  it('is ended within the time that a stop of the service may take, and keeps its rows', async () => {
    const dataDir = await usedDataDir()
    const messages: string[] = []
    const database = await startEmbeddedDatabase({ dataDir, log: (message) => messages.push(message) })
    await query(database.url, 'create table kept as select generate_series(1, 1000) as id')
    await holdCheckpointer(database.url)
    const startedAtMs = performance.now()
    await database.close()
    const tookMs = performance.now() - startedAtMs
    assert.ok(tookMs < stopSeconds * 1_000, `${tookMs} ms, ${messages.join()}`)
    assert.equal(await readPostmasterPid(dataDir), undefined)

    const next = await startEmbeddedDatabase({ dataDir, log: () => {} })
    assert.equal(await count(next.url), 1000)
    await next.close()
  })

  it('is ended and brought back where nobody of ours has asked it to stop', async () => {
    const dataDir = await usedDataDir()
    const messages: string[] = []
    const database = await startEmbeddedDatabase({ dataDir, log: (message) => messages.push(message) })
    await query(database.url, 'create table kept as select generate_series(1, 1000) as id')
    await holdCheckpointer(database.url)
    process.kill((await readPostmasterPid(dataDir)) ?? 0, 'SIGINT')
    await until('it to be back', () => messages.includes('the database is back'), 60_000)
    assert.equal(await count(database.url), 1000)
    await database.close()
  })
})
