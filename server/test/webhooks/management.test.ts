import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createTenant, until } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'
import {
  approve,
  countByStatus,
  enable,
  eventRows,
  insertEvents,
  pauseEndpoint,
  sendTest,
  settled,
  subscribe,
  webhook,
} from './support.ts'

interface Listed {
  readonly id: string
  readonly status: string
  readonly test: boolean
  readonly type: string
  readonly otp_id: string
  readonly next_attempt_at: string | null
  readonly attempts: { readonly at: string; readonly status: number | null; readonly latency_ms: number }[]
}

describe('management of webhooks', () => {
  let database: TestDatabase
  let node: Node
  let receiver: Receiver

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    receiver = await startReceiver()
  })
  after(async () => {
    await node?.close()
    await receiver?.close()
    await database?.close()
  })

  const list = async (
    appId: string,
    query = '',
  ): Promise<{ events: Listed[]; next_cursor: string | null }> => {
    const answer = await node.manage('GET', `/apps/${appId}/events${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  it('sends a test event in the real shape and marks it in the list alone', async () => {
    const tenant = await subscribe(node, receiver.url)
    const { body, id } = await sendTest(node, receiver, tenant)
    const sent = JSON.parse(body)
    assert.deepEqual(sent, {
      id,
      type: 'otp.approved',
      payload: { otp_id: sent.payload.otp_id, status: 'approved' },
    })
    await approve(node, tenant)
    await settled(database, tenant.appId)
    assert.deepEqual(
      (await list(tenant.appId)).events.map((event) => event.test),
      [false, true],
    )
    await pauseEndpoint(database, tenant.appId)
    assert.equal((await node.manage('POST', `/apps/${tenant.appId}/webhook/test`)).status, 409)
  })

  it('lists events newest first with their attempts, filtered by status, page by page', async () => {
    // Retry-After delays the next attempt, so that there is only one.
    const flaky = await startReceiver(status(503, { 'retry-after': '3600' }))
    const tenant = await subscribe(node, flaky.url)
    const otpId = await approve(node, tenant)
    await until('the first failure', async () => (await eventRows(database, tenant.appId))[0]?.is_retry)
    flaky.answerWith((_received, response) => void response.writeHead(200).end('thank you'))
    const [waiting] = (await list(tenant.appId, '?status=waiting')).events
    assert.ok(waiting)
    assert.deepEqual([waiting.type, waiting.otp_id, waiting.status], ['otp.approved', otpId, 'waiting'])
    assert.ok(Date.parse(waiting.next_attempt_at ?? '') > Date.now())
    assert.deepEqual(
      waiting.attempts.map((attempt) => attempt.status),
      [503],
    )
    await node.manage('POST', `/events/${waiting.id}/replay`)
    await settled(database, tenant.appId)
    const [taken] = (await list(tenant.appId, '?status=delivered')).events
    assert.deepEqual(
      taken?.attempts.map((attempt) => attempt.status),
      [503, 200],
    )
    assert.equal(taken?.next_attempt_at, null)
    const alone = await node.manage('GET', `/events/${waiting.id}`)
    const { body, attempts, app_id, ...rest } = alone.body
    const plain = attempts.map(
      ({ body: _, headers: __, ...attempt }: { body: string; headers: object }) => attempt,
    )
    assert.deepEqual({ ...rest, attempts: plain }, taken, 'one by its id is as in the list, and has more')
    assert.deepEqual([app_id, JSON.parse(body).id], [tenant.appId, waiting.id])
    for (const attempt of taken?.attempts ?? []) {
      assert.ok(attempt.latency_ms >= 0)
      assert.ok(Math.abs(Date.parse(attempt.at) - Date.now()) < 60_000)
    }
    assert.deepEqual((await list(tenant.appId, '?status=failed')).events, [])

    const made = [waiting.id, ...(await insertEvents(database, tenant, 24)).keys()].sort().reverse()
    await settled(database, tenant.appId)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await list(tenant.appId, `?limit=10${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.events.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.deepEqual(seen, made)
    await flaky.close()
  })

  it('replays one event with one attempt and no more, and refuses while paused', async () => {
    const flaky = await startReceiver()
    const tenant = await subscribe(node, flaky.url)
    const [id = ''] = [...(await insertEvents(database, tenant, 1)).keys()]
    await settled(database, tenant.appId)
    flaky.answerWith(status(500))
    // Two replays in a row make one attempt each, and no retries.
    for (let time = 0; time < 2; time++) await node.manage('POST', `/events/${id}/replay`)
    await until('the replay to fail', async () => (await countByStatus(database, tenant.appId)).failed === 1)
    await settled(database, tenant.appId)
    assert.ok(flaky.calls.length >= 2 && flaky.calls.length <= 3)
    assert.equal((await webhook(node, tenant.appId)).status, 'active', 'a replay is not an event given up')
    await pauseEndpoint(database, tenant.appId)
    assert.equal((await node.manage('POST', `/events/${id}/replay`)).status, 409)
    assert.deepEqual(await countByStatus(database, tenant.appId), { failed: 1 })
    assert.equal((await webhook(node, tenant.appId)).held, 0)
    await flaky.close()
  })

  it('replays all that failed since a time, says exactly how many, and sends each the same bytes once', async () => {
    const own = await startReceiver()
    const tenant = await subscribe(node, own.url)
    await pauseEndpoint(database, tenant.appId)
    const older = [...(await insertEvents(database, tenant, 7, { ageMs: 3_600_000 })).keys()]
    const newer = await insertEvents(database, tenant, 12)
    const ids = [...newer.keys()]
    const set = (to: string, which: readonly string[]) =>
      database.query('update events set status = $1 where event_id = any($2)', [to, which])
    await set('failed', [...older, ...ids.slice(0, 8)])
    await set('delivered', ids.slice(8, 10))
    await set('expired', ids.slice(10))
    const since = new Date(Date.now() - 600_000).toISOString()
    const replay = () => node.manage('POST', `/apps/${tenant.appId}/events/replay-failed`, { since })
    assert.equal((await replay()).status, 409, 'not while paused')
    await enable(node, tenant.appId)
    const replayed = await replay()
    assert.deepEqual([replayed.status, replayed.body.replayed], [200, 10])
    await settled(database, tenant.appId)
    assert.deepEqual(own.calls.map(({ id }) => id).sort(), [...ids.slice(0, 8), ...ids.slice(10)].sort())
    for (const { id, body } of own.calls) assert.equal(body, newer.get(id))
    await until('each to be taken in time', async () => {
      const { failed } = await countByStatus(database, tenant.appId)
      if (failed === 7) return true
      // A replay is one attempt, and on a busy machine the receiver may have answered it too late.
      await replay()
      await settled(database, tenant.appId)
      return false
    })
    assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 12, failed: 7 })
    assert.equal((await replay()).body.replayed, 0)
    await own.close()
  })

  it('keeps an event that is held for seven days and no longer', async () => {
    const own = await startReceiver()
    const tenant = await subscribe(node, own.url)
    await pauseEndpoint(database, tenant.appId)
    const [old, young] = [...(await insertEvents(database, tenant, 2)).keys()]
    const age = (id: string | undefined, days: string) =>
      database.query('update events set created_at = clock_timestamp() - $2::interval where event_id = $1', [
        id,
        days,
      ])
    await age(young, '6 days 23 hours')
    await age(old, '7 days 1 minute')
    await until(
      'the older one to expire',
      async () => (await countByStatus(database, tenant.appId)).expired === 1,
      60_000,
    )
    assert.deepEqual(
      (await eventRows(database, tenant.appId)).map(({ event_id, status: state }) => [event_id, state]),
      [
        [old, 'expired'],
        [young, 'waiting'],
      ],
    )
    await enable(node, tenant.appId)
    await settled(database, tenant.appId)
    assert.deepEqual(
      own.calls.map(({ id }) => id),
      [young],
    )
    const replayed = await node.manage('POST', `/events/${old}/replay`)
    assert.equal(replayed.status, 200)
    await until('the expired one, asked for by a person', () => own.calls[1]?.id === old)
    await own.close()
  })

  it('does not let an old event expire that a person has just asked for', async () => {
    const own = await startReceiver()
    const tenant = await subscribe(node, own.url)
    await pauseEndpoint(database, tenant.appId)
    const ids = [...(await insertEvents(database, tenant, 2)).keys()]
    await database.query(
      `update events set created_at = clock_timestamp() - interval '8 days', is_retried = event_id <> $2,
              next_attempt_at = clock_timestamp() where app_id = $1`,
      [tenant.appId, ids[0]],
    )
    await until(
      'the other to expire',
      async () => (await countByStatus(database, tenant.appId)).expired === 1,
    )
    const [asked] = await eventRows(database, tenant.appId)
    assert.deepEqual([asked?.event_id, asked?.status], [ids[0], 'waiting'])
    await own.close()
  })

  it('knows nothing of unknown apps and events, or of an app without endpoint', async () => {
    const none = await createTenant(node)
    for (const appId of [newId('app', Date.now()), 'app_1', none.appId]) {
      for (const [method, path] of [
        ['GET', '/webhook'],
        ['DELETE', '/webhook'],
        ['POST', '/webhook/enable'],
        ['POST', '/webhook/rotate-secret'],
        ['POST', '/webhook/test'],
      ] as const)
        assert.equal((await node.manage(method, `/apps/${appId}${path}`)).status, 404, `${method} ${path}`)
      const replayed = await node.manage('POST', `/apps/${appId}/events/replay-failed`, {
        since: new Date(0).toISOString(),
      })
      assert.equal(replayed.status, 404)
    }
    assert.equal((await node.manage('GET', `/apps/${newId('app', Date.now())}/events`)).status, 404)
    for (const eventId of [newId('event', Date.now()), 'evt_1', newId('app', 0), '%00'])
      for (const [method, path] of [
        ['GET', `/events/${eventId}`],
        ['POST', `/events/${eventId}/replay`],
      ] as const)
        assert.equal((await node.manage(method, path)).status, 404, path)
    const tenant = await createTenant(node)
    for (const key of [tenant.serverKey, tenant.publishableKey, 'nothing'])
      assert.equal((await node.call('GET', `/manage/v1/apps/${tenant.appId}/webhook`, { key })).status, 401)
  })

  it('enabling what is not paused changes nothing', async () => {
    const tenant = await subscribe(node, receiver.url)
    const before = await webhook(node, tenant.appId)
    await enable(node, tenant.appId)
    assert.deepEqual(await webhook(node, tenant.appId), before)
    const rows = await database.query<{ status: string }>(
      'select status from webhook_endpoints where app_id = $1',
      [tenant.appId],
    )
    assert.deepEqual(rows, [{ status: 'active' }])
  })
})
