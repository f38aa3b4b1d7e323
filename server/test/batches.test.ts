/** Companies share batches, but their data stays separate, and a locked row of one makes no other wait. */
import assert from 'node:assert/strict'
import { subscribe as listen } from 'node:diagnostics_channel'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { hold } from '../src/domain/billing/index.ts'
import { withHeld } from '../src/platform/bulk.ts'
import { openDatabase } from '../src/platform/database.ts'
import type { CompanyId } from '../src/platform/ids.ts'
import { createTenant, freshPhone, send, type Tenant, until } from './harness/fixtures.ts'
import { HeldTooLong, joining, whileHeld as whileTableHeld } from './harness/held-table.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

const priceMicros = 50_000n

async function balances(): Promise<Map<string, bigint>> {
  const rows = await database.query<{ company_id: string; balance: string }>(
    'select company_id, balance_micros::text as balance from companies',
  )
  return new Map(rows.map(({ company_id, balance }) => [company_id, BigInt(balance)]))
}

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

const untilWaiting = () =>
  until('somebody waits for a row', async () => {
    const rows = await database.query(
      `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from companies%'`,
    )
    return rows.length > 0
  })

const isWritten = 'insert into verifications (company_id, status'
let written = 0
listen('countersign:statement', (text) => {
  if (typeof text === 'string' && text.includes(isWritten)) written++
})
/** The batches that start with the first calls, and those that gather meanwhile. One per company would be thirty. */
const mostBatches = 12
const whileHeld = (tenants: readonly Tenant[], call: () => ReturnType<typeof send>[]) =>
  whileTableHeld('companies', { database, node, keys: tenants.map(({ serverKey }) => serverKey) }, call)

describe('batches of companies', () => {
  async function sendAtOnce() {
    const tenants = await Promise.all(Array.from({ length: 30 }, () => createTenant(node)))
    const spentBefore = await balances()
    const before = written
    const answers = await whileHeld(tenants, () =>
      tenants.flatMap(({ serverKey }, index) =>
        Array.from({ length: 1 + (index % 3) }, () => send(node, serverKey, { recipient: freshPhone() })),
      ),
    )
    return { tenants, spentBefore, before, answers }
  }

  it('are few where thirty companies send at once, and each pays for its own', async () => {
    const sent = await until('all to send while the table is held', () =>
      sendAtOnce().catch((error) => {
        if (error instanceof HeldTooLong) return undefined
        throw error
      }),
    )
    const { tenants, spentBefore, before, answers } = sent
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.ok(written - before <= mostBatches, `${written - before} batches`)
    const spent = await balances()
    for (const [index, { companyId, appId }] of tenants.entries()) {
      const count = 1 + (index % 3)
      const rows = await database.query<{ company_id: string }>(
        `select company_id from verifications where app_id = $1
          union all select company_id from deliveries where app_id = $1`,
        [appId],
      )
      assert.deepEqual(
        rows.map((row) => row.company_id),
        Array.from({ length: 2 * count }, () => companyId),
      )
      assert.equal(
        (spentBefore.get(companyId) ?? 0n) - (spent.get(companyId) ?? 0n),
        BigInt(count) * priceMicros,
      )
    }
  })

  it('cannot write for a company that their transaction does not hold', async () => {
    const [one, other] = [await createTenant(node), await createTenant(node)]
    const asOf = ({ companyId }: Tenant) => companyId as CompanyId
    const own = openDatabase(database.url, 4, () => {})
    try {
      const writing = own.inTwoTrips({
        read: (transaction) => hold(transaction, [asOf(one)], 'skip'),
        write: (transaction) => ({
          statements: [
            transaction.holding([asOf(one), asOf(other)]).query({
              text: `with ${withHeld} insert into limits (company_id, limit_key, state, expires_at)
                     select held.ids[$1::integer], 'x', '{}', now() from held`,
              values: [2],
            }),
          ],
          result: null,
        }),
      })
      await assert.rejects(writing, /null value in column "company_id"/)
    } finally {
      await own.close()
    }
  })

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
      await untilWaiting()
      const times = await sendAll()
      assert.ok(Math.max(...times) < 4_000 + 2 * Math.max(...usual), times.map(Math.round).join(' '))
    } finally {
      await hold.release()
    }
    // On a machine so slow that five seconds have passed they get a 503.
    for (const { status } of await Promise.all(waiting)) assert.ok(status === 200 || status === 503)
    for (const { serverKey } of locked)
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('of a company whose row is locked have in them whatever came while they waited', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const sendOne = () => send(node, serverKey, { recipient: freshPhone() })
    await sendOne()
    const before = written
    const hold = await lockCompanies([companyId])
    const first = sendOne()
    await untilWaiting()
    const later = await joining({ node, keys: [serverKey] }, () => Array.from({ length: 9 }, sendOne))
    await hold.release()
    // On a machine so slow that five seconds have passed they get a 503.
    for (const { status } of await Promise.all([first, ...later])) assert.ok(status === 200 || status === 503)
    assert.ok(written - before <= 1, `${written - before} batches`)
  })

  it('charge whoever came while they waited what was asked by then, and whoever came before what was asked before', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const sendOne = () => send(node, serverKey, { recipient: freshPhone() })
    const { body: book } = await node.manage('GET', '/prices')
    const double = { ...book, default: { ...book.default, sms: '0.10' } }
    await sendOne()
    try {
      // On a machine so slow that five seconds pass meanwhile they get a 503, and this is repeated.
      await until('both to be decided', async () => {
        const before = (await balances()).get(companyId) ?? 0n
        const hold = await lockCompanies([companyId])
        const first = sendOne()
        await untilWaiting()
        await node.manage('PUT', '/prices', double)
        const [later] = await joining({ node, keys: [serverKey] }, () => [sendOne()])
        await hold.release()
        await node.manage('PUT', '/prices', book)
        const statuses = [await first, await later].map((answer) => answer?.status)
        if (statuses.includes(503)) return false
        assert.deepEqual(statuses, [200, 200])
        assert.equal(before - ((await balances()).get(companyId) ?? 0n), 3n * priceMicros)
        return true
      })
    } finally {
      await node.manage('PUT', '/prices', book)
    }
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
