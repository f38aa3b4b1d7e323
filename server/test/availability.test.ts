/** PostgreSQL goes away and comes back: between the node and its database is a cable that can be cut. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { readinessAnswer } from '@countersign/contract'
import pg from 'pg'
import { Cable } from './harness/cable.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  resend,
  send,
  started,
  status,
  type Tenant,
  until,
  verify,
} from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

/** A caller gets an answer within this time, whatever the database does. */
const boundMs = 12_000

function assertUnavailable(answer: Answer): void {
  assert.equal(answer.status, 503, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'UnavailableError')
  assert.ok(answer.body.error.details.retry_after >= 1)
  assert.equal(answer.headers.get('retry-after'), String(answer.body.error.details.retry_after))
  assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
  assert.doesNotMatch(JSON.stringify(answer.body), /ECONN|127\.0\.0\.1|select |pg_/)
}

/** Uncaught errors, which would have ended a node's process, are collected here, so that this file goes on. */
const crashes: unknown[] = []
const hear = (error: unknown) => void crashes.push(error)
let others: NodeJS.UncaughtExceptionListener[] = []

before(() => {
  others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', hear)
})

after(() => {
  process.off('uncaughtException', hear)
  for (const listener of others) process.on('uncaughtException', listener)
})

describe('a database that goes away', () => {
  let database: TestDatabase
  let cable: Cable
  let node: Node
  let tenant: Tenant

  before(async () => {
    database = await createTestDatabase()
    const url = new URL(database.url)
    cable = new Cable(new URL(database.url))
    url.port = String(await cable.listen())
    node = await startNode(url.href)
    tenant = await createTenant(node)
  })

  afterEach(async () => {
    cable.mend()
    await until('the node to serve again', async () => (await node.call('GET', '/readyz')).status === 200)
  })

  after(async () => {
    cable?.mend()
    await node?.close()
    await cable?.close()
    await database?.close()
  })

  /** Locks the company's row, so that a send waits inside its transaction. */
  async function holdCompany(): Promise<{ release: () => Promise<void> }> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    await client.query('select 1 from companies where company_id = $1 for update', [tenant.companyId])
    return {
      release: async () => {
        await client.query('rollback')
        await client.end()
      },
    }
  }

  const waitersInDatabase = async () =>
    Number(
      (
        await database.query<{ count: string }>(
          `select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from companies%'`,
        )
      )[0]?.count,
    )

  it('is told to every caller as 503 with Retry-After, in bounded time', async () => {
    const { otpId } = await started(node, tenant.serverKey)
    cable.cut()
    const calls: [string, () => Promise<Answer>][] = [
      ['send', () => send(node, tenant.serverKey, { recipient: freshPhone() })],
      ['resend', () => resend(node, tenant.serverKey, otpId)],
      ['verify', () => verify(node, tenant.serverKey, otpId, '000000')],
      ['status', () => status(node, tenant.serverKey, otpId)],
      ['decision', () => node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: tenant.serverKey })],
      [
        'preview',
        () =>
          node.call('POST', '/api/v1/routing/preview', {
            key: tenant.serverKey,
            body: { recipient: freshPhone() },
          }),
      ],
      [
        'exchange',
        () =>
          node.call('POST', '/api/v1/verifications/exchange', {
            key: tenant.serverKey,
            body: { verification_token: 'otp_vt_x' },
          }),
      ],
      ['company', () => node.manage('GET', `/companies/${tenant.companyId}`)],
      ['new company', () => node.manage('POST', '/companies', { name: 'Acme', balance: '1' })],
      ['patch', () => node.manage('PATCH', `/apps/${tenant.appId}`, { code_length: 6 })],
    ]
    const begun = performance.now()
    for (const [name, call] of calls)
      await call().then(assertUnavailable, (error) => assert.fail(`${name}: ${error}`))
    assert.ok(performance.now() - begun < boundMs)
  })

  it('makes the node not ready, though alive, and ready again without a restart', async () => {
    cable.cut()
    await until('readyz to turn', async () => {
      const { status, body } = await node.call('GET', '/readyz')
      assert.deepEqual(readinessAnswer.parse(body), body)
      return status === 503
    })
    assert.deepEqual((await node.call('GET', '/healthz')).body, { status: 'alive' })
    assert.equal((await node.call('GET', '/metrics')).status, 200)
    cable.mend()
    await until('readyz to turn back', async () => (await node.call('GET', '/readyz')).status === 200)
  })

  it('is noticed again without a restart: sends, deliveries and verifications go on', async () => {
    for (let round = 0; round < 3; round++) {
      cable.cut()
      assertUnavailable(await send(node, tenant.serverKey, { recipient: freshPhone() }))
      cable.mend()
      await until('the node to serve again', async () => (await node.call('GET', '/readyz')).status === 200)
      const { otpId, code } = await started(node, tenant.serverKey)
      assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.status, 'approved')
    }
  })

  it('keeps nothing of a send that it did not confirm, and its key can be used again', async () => {
    const recipient = freshPhone()
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    const count = async () =>
      (await database.query('select 1 from verifications where app_id = $1', [tenant.appId])).length
    const before = await count()
    cable.cut()
    assertUnavailable(await send(node, tenant.serverKey, { recipient }, headers))
    assert.equal(await count(), before)
    cable.mend()
    const first = await until('a send that goes through', async () => {
      const answer = await send(node, tenant.serverKey, { recipient }, headers)
      return answer.status === 200 && answer
    })
    const again = await send(node, tenant.serverKey, { recipient }, headers)
    assert.deepEqual(again.body, first.body)
    assert.equal(await count(), before + 1)
  })

  it('in the middle of a transaction costs the caller a 503 and the node nothing', async () => {
    const before = crashes.length
    const hold = await holdCompany()
    try {
      const waiting = send(node, tenant.serverKey, { recipient: freshPhone() })
      await until('the send to wait for the row', async () => (await waitersInDatabase()) > 0)
      cable.cut()
      assertUnavailable(await waiting)
    } finally {
      await hold.release()
    }
    assert.deepEqual(crashes.slice(before), [])
  })

  it('leaves nothing of a send whose transaction it cut short', async () => {
    const recipient = freshPhone()
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    const rowsOf = async () =>
      (await database.query('select 1 from verifications where app_id = $1', [tenant.appId])).length
    const before = await rowsOf()
    const hold = await holdCompany()
    let waiting: Promise<Answer>
    try {
      waiting = send(node, tenant.serverKey, { recipient }, headers)
      await until('the send to wait for the row', async () => (await waitersInDatabase()) > 0)
      // As in a restart of PostgreSQL: the backend ends and reports it.
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%from companies%'`,
      )
      assertUnavailable(await waiting)
    } finally {
      await hold.release()
    }
    assert.equal(await rowsOf(), before)
    const retried = await send(node, tenant.serverKey, { recipient }, headers)
    assert.equal(retried.status, 200)
    assert.equal(await rowsOf(), before + 1)
  })

  it('that keeps a row locked for long is a 503 for whoever waits, and no error of ours', async () => {
    const hold = await holdCompany()
    try {
      const begun = performance.now()
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone() })
      assertUnavailable(answer)
      assert.ok(performance.now() - begun < boundMs)
    } finally {
      await hold.release()
    }
    assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
  })
})
