/** Several endpoints of an app: each has its own types, secret, attempts and pause. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newId } from '../../src/platform/ids.ts'
import { createTenant, until } from '../harness/fixtures.ts'
import { startNode } from '../harness/node.ts'
import { isSignedBy, startEndpoints, typesAt } from './endpoints-support.ts'
import { status } from './receiver.ts'
import { approve, countByStatus, insertEvents, settled } from './support.ts'

const { database, node, receive, pathOf, add, show, list, eventsOf, fail, close } = await startEndpoints()
after(close)

describe('webhook endpoints of an app', () => {
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
      assert.equal(body.error.details.limit, 10)
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
    await until('the good one to have all', async () => {
      const { delivered } = await countByStatus(database, tenant.appId)
      return good.calls.length === 4 && delivered === 4
    })
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
    await database.query(`update webhook_endpoints set status = 'paused' where endpoint_id = $1`, [
      dead.endpoint_id,
    ])
    await node.manage('POST', `/events/${held.id}/replay`)
    await until('the replay', () => good.calls.length === 5)
    assert.equal((await show(tenant, dead)).held, 0, 'a replay is not for the one that is paused')
  })

  it('that hang do not keep the others of their app waiting', async () => {
    const tenant = await createTenant(node)
    const [good, hole] = [await receive(), await receive(() => {})]
    await add(tenant, { url: hole.url })
    await add(tenant, { url: good.url })
    await insertEvents(database, tenant, 40)
    await until('all at the good one', () => new Set(good.calls.map(({ id }) => id)).size === 40)
    await until('a window of its own', () => hole.peak() >= 10)
    assert.equal(hole.peak(), 10)
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
    await settled(database, tenant.appId, 120_000)
    await other.close()
    for (const { calls } of own) assert.deepEqual(calls.map(({ id }) => id).sort(), ids)
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
