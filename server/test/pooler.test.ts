/** Behind PgBouncer in transaction mode, if installed: the service says what it needs, and then everything works. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inspectSessions, wholeSessions } from '../src/platform/database/pooler.ts'
import { migrate } from '../src/platform/migrate.ts'
import { runWords } from './cli-support.ts'
import { createTestDatabase, migrationsFolder, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, sendPatiently, started, verify, wrongCode } from './harness/fixtures.ts'
import { adminToken, type Node, testMasterKeys } from './harness/node.ts'
import { installedPgBouncer, startPgBouncer } from './harness/pgbouncer.ts'
import { closeAll, startTwoNodes } from './harness/two-nodes.ts'

const installed = installedPgBouncer()
const skip = installed ? false : 'pgbouncer is not installed here'
/** PgBouncer keeps prepared statements since 1.21. */
const keepStatements = Number(/1\.(\d+)/.exec(installed ?? '')?.[1]) >= 21

describe('a database behind a pooler', { skip }, () => {
  let database: TestDatabase
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>
  let nodes: Node[] = []

  const statements: Record<string, string> = keepStatements ? { max_prepared_statements: '200' } : {}
  const startPooler = () => startPgBouncer(database.url, statements)

  before(async () => {
    database = await createTestDatabase()
    pooler = await startPooler()
  })
  after(() => closeAll([...nodes, pooler, database]))

  it('is told from one that is not', async () => {
    assert.deepEqual(await inspectSessions(database.url), wholeSessions)
  })

  it('is not started on without time limits, and the message says which settings are missing', async () => {
    await assert.rejects(inspectSessions(pooler.url), ({ message }: Error) => {
      for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
        assert.match(message, new RegExp(`alter database test_\\w+ set ${name} = '\\ds';`))
      return true
    })
  })

  it('is said to miss them by the doctor and by other commands too', async () => {
    for (const [command, exit] of [
      ['doctor', 1],
      ['operators', 2],
    ] as const) {
      const { code, text } = await runWords([command], {
        DATABASE_URL: pooler.url,
        MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
        ADMIN_TOKEN: adminToken,
      })
      assert.equal(code, exit, text)
      assert.match(text, /leads to a pooler that does not pass settings on/)
      assert.match(text, /alter database test_\w+ set lock_timeout = '5s';/)
    }
  })

  it('is found out with what it keeps once they are set', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await database.query(`alter database ${name} set statement_timeout = '8s'`)
    await database.query(`alter database ${name} set lock_timeout = '5s'`)
    await database.query(`alter database ${name} set idle_in_transaction_session_timeout = '8s'`)
    // Settings apply to new sessions.
    await pooler.close()
    pooler = await startPooler()
    assert.deepEqual(await inspectSessions(pooler.url), { keepSettings: false, keepStatements })
  })

  it('is found out too where it drops settings without a word, though the database has the very same ones', async () => {
    const dropping = await startPgBouncer(database.url, {
      ...statements,
      ignore_startup_parameters: 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
    })
    try {
      assert.deepEqual(await inspectSessions(dropping.url), { keepSettings: false, keepStatements })
    } finally {
      await dropping.close()
    }
  })

  it('is found out too where its only session is taken from the one that looks', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await database.query(`alter database ${name} set idle_in_transaction_session_timeout = '500ms'`)
    const busy = await startPgBouncer(database.url, { ...statements, default_pool_size: '1' })
    try {
      assert.equal((await inspectSessions(busy.url)).keepSettings, false)
    } finally {
      await busy.close()
      await database.query(`alter database ${name} set idle_in_transaction_session_timeout = '8s'`)
    }
  })

  it('is migrated through it without leaving a lock behind', async () => {
    await migrate(pooler.url, migrationsFolder, () => {})
    const locks = await database.query(
      `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    )
    assert.equal(locks.length, 0)
  })

  it('serves two nodes with fewer sessions than they have connections: sends, guesses, messages, events', async () => {
    nodes = await startTwoNodes(pooler.url, { sessions: await inspectSessions(pooler.url) })
    const [first, second] = nodes
    assert.ok(first && second)
    const { serverKey } = await createTenant(first)
    const rounds = Array.from({ length: 40 }, async (_, index) => {
      const node = index % 2 ? first : second
      const { otpId, code } = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).body.status, 'pending')
      assert.equal((await verify(node, serverKey, otpId, code)).body.status, 'approved')
    })
    await Promise.all(rounds)
    const many = await Promise.all(
      Array.from({ length: 100 }, () => sendPatiently(first, serverKey, { recipient: freshPhone() })),
    )
    assert.deepEqual([...new Set(many.map(({ status }) => status))], [200])
    for (const { logged } of nodes)
      assert.deepEqual(
        logged.filter(({ level }) => level === 'error'),
        [],
      )
  })
})
