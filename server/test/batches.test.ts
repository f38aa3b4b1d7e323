/** A batch is of one company, and one company's locked row is nobody else's wait. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

async function lockCompanies(companyIds: readonly string[]): Promise<{ release: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from companies where company_id = any($1) for update', [companyIds])
  return {
    release: async () => {
      await client.query('rollback')
      await client.end()
    },
  }
}

describe('batches of companies', { timeout: 120_000 }, () => {
  it('of others go on while the rows of three companies are locked; theirs go on once they are free', async () => {
    const locked = await Promise.all([1, 2, 3].map(() => createTenant(node)))
    const others = await Promise.all(Array.from({ length: 12 }, () => createTenant(node)))
    const sendAll = () =>
      Promise.all(
        others.map(async ({ serverKey }) => {
          const startedAtMs = performance.now()
          assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
          return performance.now() - startedAtMs
        }),
      )
    const usual = await sendAll()
    const hold = await lockCompanies(locked.map(({ companyId }) => companyId))
    let waiting: ReturnType<typeof send>[]
    try {
      waiting = locked.flatMap(({ serverKey }) =>
        [1, 2, 3].map(() => send(node, serverKey, { recipient: freshPhone() })),
      )
      await until('they wait for their rows', async () => {
        const rows = await database.query(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from companies%'`,
        )
        return rows.length > 0
      })
      const times = await sendAll()
      assert.ok(Math.max(...times) < 1_500 + 2 * Math.max(...usual), times.map(Math.round).join(' '))
    } finally {
      await hold.release()
    }
    // On a machine so slow that five seconds have passed they are told to come again.
    for (const { status } of await Promise.all(waiting)) assert.ok(status === 200 || status === 503)
    for (const { serverKey } of locked)
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('are told after a few seconds that their row stays locked, and nothing of them is kept', async () => {
    const tenant = await createTenant(node)
    const hold = await lockCompanies([tenant.companyId])
    try {
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone() })
      assert.deepEqual([answer.status, answer.body.error.type], [503, 'UnavailableError'])
    } finally {
      await hold.release()
    }
    assert.deepEqual(
      await database.query('select 1 from verifications where app_id = $1', [tenant.appId]),
      [],
    )
  })
})
