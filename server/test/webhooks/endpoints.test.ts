/** Several endpoints of an app: each has its own types, secret, attempts and pause. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createTenant, started, type Tenant, until, verify } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Received, type Receiver, startReceiver, status } from './receiver.ts'
import { approve, countByStatus, insertEvents, settled } from './support.ts'

interface Made {
  readonly endpoint_id: string
  readonly url: string
  readonly types: string[] | null
  readonly status: string
  readonly held: number
  readonly signing_secret: string
}

describe('webhook endpoints of an app', { timeout: 180_000 }, () => {
  let database: TestDatabase
  let node: Node
  const receivers: Receiver[] = []

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
  })
  after(async () => {
    await node?.close()
    await Promise.all(receivers.map((receiver) => receiver.close()))
    await database?.close()
  })

  const receive = async (...given: Parameters<typeof startReceiver>): Promise<Receiver> => {
    const receiver = await startReceiver(...given)
    receivers.push(receiver)
    return receiver
  }
  const pathOf = ({ appId }: Tenant) => `/apps/${appId}/webhooks`
  const add = async (tenant: Tenant, body: object): Promise<Made> => {
    const made = await node.manage('POST', pathOf(tenant), body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body
  }
  const show = async (tenant: Tenant, { endpoint_id }: Made): Promise<Made> =>
    (await node.manage('GET', `${pathOf(tenant)}/${endpoint_id}`)).body
  const list = async (tenant: Tenant): Promise<Made[]> =>
    (await node.manage('GET', pathOf(tenant))).body.webhooks
  const eventsOf = async (tenant: Tenant, query = '') => {
    const answer = await node.manage('GET', `/apps/${tenant.appId}/events${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.events
  }
  const fail = async (tenant: Tenant): Promise<void> => {
    const { otpId, code } = await started(node, tenant.serverKey)
    const wrong = code === '000000' ? '111111' : '000000'
    for (let time = 0; time < 5; time++) await verify(node, tenant.serverKey, otpId, wrong)
  }
  const typesAt = ({ calls }: Receiver) => calls.map(({ body }) => JSON.parse(body).type).sort()
  const isSignedBy = ({ headers, body }: Received, secret: string) =>
    headers['x-webhook-signature'] ===
    createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${body}`).digest('hex')

  it('get the events of their types, the same bytes, each signed with a secret of its own', async () => {
    const tenant = await createTenant(node)
    const [all, approvals, failures] = [await receive(), await receive(), await receive()]
    const first = await add(tenant, { url: all.url })
    const second = await add(tenant, { url: approvals.url, types: ['otp.approved'] })
    await add(tenant, { url: failures.url, types: ['otp.failed', 'delivery.failed'] })
    assert.equal(first.types, null)
    assert.deepEqual(second.types, ['otp.approved'])
    await approve(node, tenant)
    await fail(tenant)
    await settled(database, tenant.appId)
    const counted = (types: string[]) => types.filter((type) => type.startsWith('otp.'))
    assert.deepEqual(counted(typesAt(all)), ['otp.approved', 'otp.failed'])
    assert.deepEqual(typesAt(approvals), ['otp.approved'])
    assert.deepEqual(typesAt(failures), ['otp.failed'])
    const [approved] = approvals.calls
    assert.ok(approved)
    assert.equal(all.calls.find(({ id }) => id === approved.id)?.body, approved.body)
    assert.ok(isSignedBy(approved, second.signing_secret))
    assert.ok(!isSignedBy(approved, first.signing_secret))
    assert.ok(all.calls.every((call) => isSignedBy(call, first.signing_secret)))
  })

  it('stand oldest first, and the single endpoint is the first of them', async () => {
    const tenant = await createTenant(node)
    const { url } = await receive()
    const single = `/apps/${tenant.appId}/webhook`
    assert.equal((await node.manage('PUT', single, { url })).status, 200)
    const second = await add(tenant, { url: `${url}/2` })
    await add(tenant, { url: `${url}/3` })
    await node.manage('PUT', single, { url: `${url}/1` })
    assert.deepEqual(
      (await list(tenant)).map((endpoint) => endpoint.url),
      [`${url}/1`, `${url}/2`, `${url}/3`],
    )
    assert.deepEqual((await node.manage('GET', single)).body, {
      url: `${url}/1`,
      status: 'active',
      paused_at: null,
      reason: null,
      held: 0,
    })
    assert.deepEqual((await node.manage('DELETE', single)).body, { url: `${url}/1` })
    assert.equal((await node.manage('GET', single)).body.url, `${url}/2`)
    const removed = await node.manage('DELETE', `${pathOf(tenant)}/${second.endpoint_id}`)
    assert.deepEqual(removed.body, { endpoint_id: second.endpoint_id, url: `${url}/2` })
    assert.equal((await node.manage('GET', single)).body.url, `${url}/3`)
  })

  it('are at most ten, however many are made at once', async () => {
    const tenant = await createTenant(node)
    const { url } = await receive()
    const made = await Promise.all(
      Array.from({ length: 15 }, (_, index) =>
        node.manage('POST', pathOf(tenant), { url: `${url}/${index}` }),
      ),
    )
    assert.equal(made.filter((answer) => answer.status === 201).length, 10)
    for (const { status, body } of made.filter((answer) => answer.status !== 201)) {
      assert.deepEqual([status, body.error.type], [409, 'LimitReachedError'])
      assert.deepEqual(body.error.details, { limit: 10 })
    }
    const [one] = await list(tenant)
    assert.ok(one)
    await node.manage('DELETE', `${pathOf(tenant)}/${one.endpoint_id}`)
    await add(tenant, { url })
  })

  it('are changed one by one: what is not said stays', async () => {
    const tenant = await createTenant(node)
    const { url } = await receive()
    const made = await add(tenant, { url, types: ['otp.failed'] })
    const change = async (body: object) => {
      const changed = await node.manage('PATCH', `${pathOf(tenant)}/${made.endpoint_id}`, body)
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      return changed.body
    }
    const moved = await change({ url: `${url}/new` })
    assert.deepEqual([moved.url, moved.types, moved.signing_secret], [`${url}/new`, ['otp.failed'], null])
    const widened = await change({ types: null })
    assert.deepEqual([widened.url, widened.types], [`${url}/new`, null])
    const own = 'a-secret-of-my-own-choice'
    assert.equal((await change({ signing_secret: own })).signing_secret, own)
    const { signing_secret: _, ...shown } = await change({})
    assert.deepEqual(await show(tenant, made), shown)
    for (const wrong of [
      { types: [] },
      { types: ['otp.approved', 'otp.approved'] },
      { types: ['otp.expired'] },
      { url: 'ftp://example.com' },
      { url: '' },
      { status: 'paused' },
    ]) {
      for (const [method, path] of [
        ['PATCH', `${pathOf(tenant)}/${made.endpoint_id}`],
        ['POST', pathOf(tenant)],
      ] as const)
        assert.equal(
          (await node.manage(method, path, { ...(method === 'POST' ? { url } : {}), ...wrong })).status,
          422,
        )
    }
  })

  it('pause alone: the others get what comes, and what is held waits for its own endpoint', async () => {
    const tenant = await createTenant(node)
    const [good, gone] = [await receive(), await receive(status(410))]
    const healthy = await add(tenant, { url: good.url })
    const dead = await add(tenant, { url: gone.url })
    await approve(node, tenant)
    await until('the pause', async () => (await show(tenant, dead)).status === 'paused')
    for (let round = 0; round < 3; round++) await approve(node, tenant)
    await until('the good one to have all', () => good.calls.length === 4)
    assert.equal(gone.calls.length, 1)
    assert.equal((await show(tenant, dead)).held, 4)
    assert.deepEqual(
      [(await show(tenant, healthy)).status, (await show(tenant, healthy)).held],
      ['active', 0],
    )
    assert.equal((await eventsOf(tenant, '?status=held')).length, 4)
    assert.equal((await eventsOf(tenant, '?status=waiting')).length, 0)
    const [held] = await eventsOf(tenant)
    assert.equal(held.status, 'held')
    assert.deepEqual(
      held.endpoints.map((endpoint: { status: string }) => endpoint.status),
      ['delivered', 'held'],
    )
    gone.answerWith(status(204))
    await node.manage('POST', `${pathOf(tenant)}/${dead.endpoint_id}/enable`)
    await settled(database, tenant.appId)
    assert.deepEqual(
      new Set(gone.calls.slice(1).map(({ id }) => id)),
      new Set(good.calls.map(({ id }) => id)),
    )
    assert.equal(good.calls.length, 4, 'the probe of one is nothing to the other')
  })

  it('that hang do not keep the others of their app waiting', async () => {
    const tenant = await createTenant(node)
    const [good, hole] = [await receive(), await receive(() => {})]
    await add(tenant, { url: hole.url })
    await add(tenant, { url: good.url })
    await insertEvents(database, tenant, 40)
    await until('all at the good one', () => new Set(good.calls.map(({ id }) => id)).size === 40, 8_000)
    assert.equal(hole.calls.length, 10, 'a window of its own')
    for (const { endpoint_id } of await list(tenant))
      await node.manage('DELETE', `${pathOf(tenant)}/${endpoint_id}`)
  })

  it('that are removed with events in flight leave nothing looping', async () => {
    const tenant = await createTenant(node)
    const [good, slow] = [await receive(), await receive()]
    slow.answerWith(async (_received, response) => {
      await until('the removal', async () => (await list(tenant)).length === 1)
      response.writeHead(500).end()
    })
    await add(tenant, { url: good.url })
    const removed = await add(tenant, { url: slow.url })
    await insertEvents(database, tenant, 30)
    await until('the slow one to be busy', () => slow.calls.length >= 5)
    await node.manage('DELETE', `${pathOf(tenant)}/${removed.endpoint_id}`)
    await settled(database, tenant.appId)
    assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 30, skipped: 30 })
    const before = slow.calls.length
    await insertEvents(database, tenant, 1)
    await settled(database, tenant.appId)
    assert.equal(slow.calls.length, before)
    const events = await eventsOf(tenant)
    assert.ok(events.every((event: { status: string }) => event.status === 'delivered'))
  })

  it('get each event once each, on two nodes', async () => {
    const tenant = await createTenant(node)
    const own = [await receive(), await receive(), await receive()]
    for (const { url } of own) await add(tenant, { url })
    const other = await startNode(database.url)
    const ids = [...(await insertEvents(database, tenant, 300)).keys()].sort()
    await settled(database, tenant.appId, 30_000)
    await other.close()
    for (const { calls } of own) assert.deepEqual(calls.map(({ id }) => id).sort(), ids)
  })

  it('show of each attempt the body and the headers that the receiver got, and no secret', async () => {
    const tenant = await createTenant(node)
    const [flaky, good] = [await receive(status(503)), await receive()]
    const made = [await add(tenant, { url: flaky.url }), await add(tenant, { url: good.url })]
    const rotated = await node.manage('POST', `${pathOf(tenant)}/${made[0]?.endpoint_id}/rotate-secret`)
    await approve(node, tenant)
    await until('both', () => flaky.calls.length === 1 && good.calls.length === 1)
    flaky.answerWith(status(204))
    const [{ id }] = await until('the failure', () =>
      eventsOf(tenant, '?answer=5xx').then((found) => found[0] && found),
    )
    await node.manage('POST', `/events/${id}/replay?endpoint_id=${made[0]?.endpoint_id}`)
    await settled(database, tenant.appId)
    const shown = (await node.manage('GET', `/events/${id}`)).body
    assert.equal(shown.body, good.calls[0]?.body)
    assert.equal(shown.attempts.length, 3)
    const calls = [...flaky.calls, ...good.calls]
    for (const attempt of shown.attempts) {
      assert.equal(attempt.body, shown.body)
      const headers = Object.entries<string>(attempt.headers).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ])
      const call = calls.find(
        (one) => one.headers['x-webhook-signature'] === attempt.headers['X-Webhook-Signature'],
      )
      for (const [name = '', value] of headers) assert.equal(call?.headers[name], value, name)
    }
    const text = JSON.stringify(shown)
    for (const secret of [...made.map(({ signing_secret }) => signing_secret), rotated.body.signing_secret])
      assert.ok(!text.includes(secret.slice(6)))
    assert.equal(flaky.calls.length, 2, 'a replay for one goes to that one')
    assert.equal(good.calls.length, 1)
  })

  it('have lists of events by type, state, attempts, answer and endpoint', async () => {
    const tenant = await createTenant(node)
    const [flaky, good] = [await receive(status(500)), await receive()]
    const failing = await add(tenant, { url: flaky.url, types: ['otp.approved'] })
    const healthy = await add(tenant, { url: good.url })
    await approve(node, tenant)
    await fail(tenant)
    await until('the failure to be written', async () => (await eventsOf(tenant, '?answer=5xx')).length === 1)
    await until('the rest', async () => (await eventsOf(tenant, '?answer=2xx')).length >= 2)
    const found = async (query: string) =>
      (await eventsOf(tenant, query))
        .map((event: { type: string }) => event.type)
        .filter((type: string) => type.startsWith('otp.'))
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['?type=otp.failed', ['otp.failed']],
      ['?status=waiting', ['otp.approved']],
      ['?status=delivered', ['otp.failed', 'otp.approved']],
      ['?status=held', []],
      ['?answer=5xx', ['otp.approved']],
      ['?answer=4xx', []],
      ['?answer=none', []],
      ['?answer=2xx', ['otp.failed', 'otp.approved']],
      [`?endpoint_id=${failing.endpoint_id}`, ['otp.approved']],
      [`?endpoint_id=${failing.endpoint_id}&answer=2xx`, []],
      [`?endpoint_id=${healthy.endpoint_id}&type=otp.approved&status=delivered`, ['otp.approved']],
      ['?min_attempts=1', ['otp.failed', 'otp.approved']],
      ['?min_attempts=2', []],
    ]
    for (const [query, expected] of cases) assert.deepEqual(await found(query), expected, query)
    for (const wrong of ['?type=otp', '?answer=6xx', '?min_attempts=x', '?state=held'])
      assert.equal((await node.manage('GET', `/apps/${tenant.appId}/events${wrong}`)).status, 422, wrong)
  })

  it('get what happened before them, or at one that is gone, when somebody asks for it', async () => {
    const tenant = await createTenant(node)
    await approve(node, tenant)
    const [skipped] = await eventsOf(tenant, '?type=otp.approved')
    assert.deepEqual([skipped.status, skipped.endpoints], ['skipped', []])
    const own = await receive(status(500))
    const first = await add(tenant, { url: own.url, types: ['otp.failed'] })
    const refused = await node.manage('POST', `/events/${skipped.id}/replay`)
    assert.deepEqual([refused.status, refused.body.error.type], [409, 'ConflictError'])
    await node.manage('POST', `/events/${skipped.id}/replay?endpoint_id=${first.endpoint_id}`)
    await until('it to be given up', async () => (await countByStatus(database, tenant.appId)).failed === 1)
    await node.manage('DELETE', `${pathOf(tenant)}/${first.endpoint_id}`)
    own.answerWith(status(204))
    await add(tenant, { url: own.url })
    const since = new Date(Date.now() - 600_000).toISOString()
    const replay = () => node.manage('POST', `/apps/${tenant.appId}/events/replay-failed`, { since })
    assert.equal((await replay()).body.replayed, 1)
    await settled(database, tenant.appId)
    assert.deepEqual(
      own.calls.map(({ id }) => id),
      [skipped.id, skipped.id],
    )
    assert.equal((await replay()).body.replayed, 0)
    assert.equal((await eventsOf(tenant, '?type=otp.approved'))[0].status, 'delivered')
  })

  it('of another app are as good as none', async () => {
    const [mine, other] = [await createTenant(node), await createTenant(node)]
    const { url } = await receive()
    const theirs = await add(other, { url })
    for (const endpointId of [theirs.endpoint_id, newId('endpoint', Date.now()), 'end_1', '%00']) {
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/enable'],
        ['POST', '/rotate-secret'],
        ['POST', '/test'],
        ['GET', '/unsent'],
      ] as const) {
        const body = method === 'PATCH' ? { url } : undefined
        const answer = await node.manage(method, `${pathOf(mine)}/${endpointId}${path}`, body)
        assert.deepEqual([answer.status, answer.body.error.type], [404, 'NotFoundError'], `${method} ${path}`)
      }
    }
    assert.equal((await list(other)).length, 1)
  })
})
