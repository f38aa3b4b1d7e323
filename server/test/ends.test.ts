/** Pausing and deleting an app, and closing a company. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { eraseGone } from '../src/domain/members/index.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createApp,
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  status,
  type Tenant,
  until,
  untilInForce,
  verify,
} from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

let database: TestDatabase
let node: Node
let other: Node

before(async () => {
  database = await createTestDatabase()
  const kinds = new Map(Object.entries(providerKinds))
  node = await startNode(database.url, { kinds })
  other = await startNode(database.url, { kinds })
})
after(async () => {
  await node?.close()
  await other?.close()
  await database?.close()
})

const typeOf = ({ status, body }: { status: number; body: { error?: { type: string } } }) => [
  status,
  body.error?.type,
]

/** From then on the node has the key and its app in memory, where only being told of a change takes them out. */
const remember = async (at: Node, { serverKey }: Tenant) =>
  assert.equal((await status(at, serverKey, 'otp_x')).status, 404)
const isUnknown = async (at: Node, { serverKey }: Tenant) =>
  (await status(at, serverKey, 'otp_x')).status === 401

describe('an app that is paused', () => {
  it('refuses every send on every node within a second; what is pending goes on, and it can be resumed', async () => {
    const tenant = await createTenant(node)
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    await remember(other, tenant)
    const paused = await node.manage('POST', `/apps/${tenant.appId}/pause`)
    assert.ok(paused.body.paused_at)
    const isRefused = async (from: typeof node) => {
      const answer = await send(from, tenant.serverKey, { recipient: freshPhone() })
      return answer.status === 403 && answer.body.error.type === 'AppPausedError'
    }
    assert.ok(await isRefused(node))
    await untilInForce('the pause', () => isRefused(other))
    assert.equal((await send(node, tenant.publishableKey, { recipient })).status, 403)
    const preview = await node.manage('POST', `/apps/${tenant.appId}/preview`, { recipient })
    assert.equal(preview.body.error.type, 'AppPausedError')
    assert.equal((await resend(node, tenant.serverKey, body.otp_id)).status, 200)
    const { code } = await message(node, recipient)
    assert.equal((await verify(node, tenant.serverKey, body.otp_id, code)).body.status, 'approved')

    const again = await node.manage('POST', `/apps/${tenant.appId}/pause`)
    assert.equal(again.body.paused_at, paused.body.paused_at)
    const { body: list } = await node.manage('GET', `/companies/${tenant.companyId}/apps`)
    assert.equal(list.apps[0].paused_at, paused.body.paused_at)
    assert.equal((await node.manage('POST', `/apps/${tenant.appId}/resume`)).body.paused_at, null)
    assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('is never the one through which people sign in', async () => {
    const own = '/apps/app_0000000000dashb0ardsgn1n00'
    assert.deepEqual(typeOf(await node.manage('POST', `${own}/pause`)), [409, 'ConflictError'])
    assert.deepEqual(typeOf(await node.manage('DELETE', own)), [409, 'ConflictError'])
    const company = '/companies/cmp_0000000000dashb0ardsgn1n00'
    assert.deepEqual(typeOf(await node.manage('DELETE', company)), [409, 'ConflictError'])
  })
})

/** As if this much time had passed since the end. */
async function longAfter({ companyId }: Pick<Tenant, 'companyId'>, seconds: number): Promise<void> {
  const back = `- interval '${seconds} seconds'`
  await database.query(`update apps set deleted_at = deleted_at ${back} where company_id = $1`, [companyId])
  await database.query(`update companies set closed_at = closed_at ${back} where company_id = $1`, [
    companyId,
  ])
}

/** Tables that still have rows of it, except those that are kept. */
async function leftOf(column: string, id: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select t.relname::text as name from pg_class t
      where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
        and exists (select 1 from pg_attribute where attrelid = t.oid and attname = $1 and not attisdropped)
        and t.relname not in ('audit_entries', 'audit_chains')`,
    [column],
  )
  const left: string[] = []
  for (const { name } of tables) {
    const rows = await database.query(`select 1 from ${name} where ${column} = $1 limit 1`, [id])
    if (rows.length > 0) left.push(name)
  }
  return left
}

const erase = async () => {
  while (await eraseGone(node.app)) {
    /* until nothing is left to do at once */
  }
}

/** Waits until no message of the company is queued, and every outcome is recorded. */
const allSent = ({ companyId }: Pick<Tenant, 'companyId'>) =>
  until('nothing waits', async () => {
    const queued = await database.query(
      `select 1 from deliveries where company_id = $1 and status = 'queued' limit 1`,
      [companyId],
    )
    return queued.length === 0
  })

const sumOf = async (companyId: string) => {
  const [row] = await database.query<{ sum: string; entries: string; balance: string }>(
    `select (select sum(amount_micros) from ledger where company_id = $1) as sum,
            (select count(*) from ledger where company_id = $1) as entries, balance_micros as balance
       from companies where company_id = $1`,
    [companyId],
  )
  return row
}

describe('an app that is deleted', () => {
  it('is not found any more, its keys are refused, and what it had is erased while its neighbour keeps all', async () => {
    const tenant = await createTenant(node)
    const neighbour = await createApp(node, tenant.companyId)
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    const { body: theirs } = await send(node, neighbour.serverKey, { recipient })
    await send(node, tenant.serverKey, { recipient: 'nobody' })
    await message(node, recipient, 1)
    await allSent(tenant)
    await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: 'http://127.0.0.1:9/hook' })
    await remember(other, tenant)

    assert.equal((await node.manage('DELETE', `/apps/${tenant.appId}`)).status, 200)
    await untilInForce('the end of the app', () => isUnknown(other, tenant))
    assert.equal((await send(node, tenant.serverKey, { recipient })).status, 401)
    for (const path of [`/apps/${tenant.appId}`, `/verifications/${body.otp_id}`])
      assert.equal((await node.manage('GET', path)).status, 404, path)
    assert.equal((await node.manage('DELETE', `/apps/${tenant.appId}`)).status, 404)
    const { body: list } = await node.manage('GET', `/companies/${tenant.companyId}/apps`)
    assert.deepEqual(
      list.apps.map(({ app_id }: { app_id: string }) => app_id),
      [neighbour.appId],
    )

    await erase()
    assert.ok((await leftOf('app_id', tenant.appId)).includes('verifications'), 'not at once')
    await longAfter(tenant, 70)
    await erase()
    assert.deepEqual(await leftOf('app_id', tenant.appId), ['apps'])
    await longAfter(tenant, 900)
    await erase()
    assert.deepEqual(await leftOf('app_id', tenant.appId), [])
    assert.equal((await status(node, neighbour.serverKey, theirs.otp_id)).status, 200)
    const sums = await sumOf(tenant.companyId)
    assert.equal(sums?.sum, sums?.balance)
    const { body: trail } = await node.manage('GET', `/companies/${tenant.companyId}/audit`)
    assert.ok(trail.entries.some(({ action }: { action: string }) => action === 'deleteApp'))
  })

  it('with its company gives back what is held for messages that nobody has taken, and erases nothing before', async () => {
    const tenant = await createTenant(node)
    // Long enough that it waits until it is made due.
    const busy = () =>
      ({ kind: 'retry', error: { code: 'busy', message: 'Not now.' }, afterSeconds: 60 }) as const
    node.capture.answerWith(busy)
    other.capture.answerWith(busy)
    try {
      await send(node, tenant.serverKey, { recipient: freshPhone() })
      await until('it waits for its next attempt', async () => {
        const waiting = await database.query(
          `select 1 from deliveries where app_id = $1 and status = 'queued' and error_code = 'busy' and held_by is null`,
          [tenant.appId],
        )
        return waiting.length === 1
      })
      await node.manage('DELETE', `/companies/${tenant.companyId}`)
      await longAfter(tenant, 1_000)
      await eraseGone(node.app)
      assert.ok((await leftOf('app_id', tenant.appId)).includes('verifications'), 'while one waits')
      await database.query('update deliveries set next_attempt_at = now() where app_id = $1', [tenant.appId])
      await allSent(tenant)
      const sums = await sumOf(tenant.companyId)
      assert.deepEqual([sums?.balance, sums?.sum], ['1000000000', '1000000000'])
      await erase()
      assert.deepEqual(await leftOf('app_id', tenant.appId), [])
    } finally {
      node.capture.answerWith(null)
      other.capture.answerWith(null)
    }
  })

  it('leaves nothing behind of sends that race its end, and the ledger adds up', async () => {
    const tenant = await createTenant(node)
    const sends = Array.from({ length: 200 }, (_, index) =>
      send(index % 2 ? node : other, tenant.serverKey, { recipient: freshPhone() }),
    )
    const [deleted] = await Promise.all([node.manage('DELETE', `/apps/${tenant.appId}`), ...sends])
    assert.equal(deleted.status, 200)
    const answers = await Promise.all(sends)
    assert.ok(answers.every(({ status }) => [200, 401, 503].includes(status)))
    await allSent(tenant)
    await longAfter(tenant, 1_000)
    await erase()
    assert.deepEqual(await leftOf('app_id', tenant.appId), [])
    const sums = await sumOf(tenant.companyId)
    assert.equal(sums?.sum, sums?.balance)
  })
})

describe('a company that is closed', () => {
  it('is found by nobody, what it had is erased, and its ledger is one sum that operators can still see', async () => {
    const tenant = await createTenant(node, {}, { name: 'Made by mistake' })
    const recipient = freshPhone()
    await send(node, tenant.serverKey, { recipient })
    await allSent(tenant)
    await node.manage('POST', `/companies/${tenant.companyId}/members`, {
      email: 'member@example.com',
      role: 'owner',
    })
    const path = `/companies/${tenant.companyId}`
    const before = await sumOf(tenant.companyId)
    await remember(other, tenant)
    const closed = await node.manage('DELETE', path)
    assert.equal(closed.status, 200, JSON.stringify(closed.body))
    await untilInForce('the end of the company', () => isUnknown(other, tenant))
    assert.equal((await send(node, tenant.serverKey, { recipient })).status, 401)
    const gone = [
      await node.manage('GET', path),
      await node.manage('DELETE', path),
      await node.manage('POST', `${path}/apps`, { name: 'Another' }),
      await node.manage('POST', `${path}/credits`, { amount: '5' }),
      await node.manage('GET', `${path}/ledger`),
    ]
    for (const answer of gone) assert.deepEqual(typeOf(answer), [404, 'NotFoundError'])
    await longAfter(tenant, 1_000)
    await erase()
    assert.deepEqual((await leftOf('company_id', tenant.companyId)).toSorted(), ['companies', 'ledger'])
    const after = await sumOf(tenant.companyId)
    assert.deepEqual([after?.entries, after?.sum], ['1', before?.sum])
    const { body: list } = await node.manage('GET', '/companies?closed=true')
    const [listed] = list.companies.filter(
      ({ company_id }: { company_id: string }) => company_id === tenant.companyId,
    )
    assert.deepEqual([listed.name, Boolean(listed.closed_at)], ['Made by mistake', true])
    const open = await node.manage('GET', '/companies?search=mistake')
    assert.deepEqual(open.body.companies, [])
  })

  it('keeps no account in use on any node, also where the node that closed it died before it removed them', async () => {
    const { companyId } = await createTenant(node)
    const made = await node.manage('POST', '/providers', {
      company_id: companyId,
      channel: 'telegram',
      kind: 'telegram',
      settings: { token: 'a-token', base_url: 'http://127.0.0.1:9' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    // Checked by a callback that the account has signed.
    const isUsed = async (at: Node) => {
      const [body, seconds] = ['{"request_id":"1"}', String(Math.floor(Date.now() / 1000))]
      const key = createHash('sha256').update('a-token').digest()
      const signature = createHmac('sha256', key).update(`${seconds}\n${body}`).digest('hex')
      const headers = { 'x-request-timestamp': seconds, 'x-request-signature': signature }
      return (await at.call('POST', `/hooks/${made.body.provider_id}`, { body, headers })).status === 200
    }
    for (const at of [node, other]) await until('it is in use', () => isUsed(at))
    await database.query('update companies set closed_at = now() where company_id = $1', [companyId])
    await database.query('update apps set deleted_at = now() where company_id = $1', [companyId])
    await longAfter({ companyId }, 1_000)
    // At first the change cannot be announced to other nodes; that must not lose it.
    await database.query(
      `create function not_now() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
    )
    await database.query('create trigger not_now before update on changes execute function not_now()')
    await assert.rejects(erase(), /not now/)
    await database.query('drop trigger not_now on changes')
    await erase()
    for (const at of [node, other]) await untilInForce('nobody uses it', async () => !(await isUsed(at)))
  })
})
