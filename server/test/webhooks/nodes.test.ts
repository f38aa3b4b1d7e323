import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createOutcomes } from '../../src/domain/webhooks/index.ts'
import { openDatabase } from '../../src/platform/database.ts'
import type { AppId, CompanyId, EndpointId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { until } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { startKilledNode } from './killed-node.ts'
import { type Received, startReceiver, status } from './receiver.ts'
import {
  approve,
  countByStatus,
  enable,
  endLeases,
  insertEvents,
  pauseEndpoint,
  type Subscriber,
  settled,
  subscribe,
  webhook,
} from './support.ts'

const crowd = 1_500
const widestWindow = 100
const key = randomBytes(32)

describe('events over nodes', () => {
  let database: TestDatabase
  const nodes: Node[] = []

  const start = async (role: 'all' | 'api' | 'worker' = 'all') => {
    const node = await startNode(database.url, { role, masterKeys: { secrets: [key] } })
    nodes.push(node)
    return node
  }
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close()
    await database?.close()
  })

  /** Every event arrived, each time with its own bytes. */
  const assertAllCame = (calls: readonly Received[], events: ReadonlyMap<string, string>) => {
    for (const { id, body } of calls) assert.equal(body, events.get(id))
    assert.equal(new Set(calls.map(({ id }) => id)).size, events.size)
  }

  it(`${crowd} events of three apps come once each while two nodes send`, async () => {
    const [one] = [await start(), await start()]
    const receivers = [await startReceiver(), await startReceiver(), await startReceiver()]
    const tenants: Subscriber[] = []
    for (const { url } of receivers) tenants.push(await subscribe(one, url))
    const made = await Promise.all(
      tenants.map((tenant) => insertEvents(database, tenant, crowd / tenants.length)),
    )
    for (const [index, tenant] of tenants.entries()) {
      await settled(database, tenant.appId, 120_000)
      const receiver = receivers[index]
      assert.ok(receiver)
      assertAllCame(receiver.calls, made[index] ?? new Map())
      assert.equal(receiver.calls.length, crowd / tenants.length, 'none twice')
      assert.ok(receiver.peak() <= widestWindow, `${receiver.peak()} in flight`)
    }
    await Promise.all(receivers.map((receiver) => receiver.close()))
  })

  for (const moment of ['before it is answered', 'just after it was answered'] as const) {
    it(`a node killed while an event is under way, ${moment}, loses nothing and changes no byte`, async () => {
      const api = await start('api')
      let kill: (() => Promise<void>) | null = null
      let killing: Promise<void> | null = null
      const receiver = await startReceiver(({ index }, response) => {
        if (index < 20) return void response.writeHead(204).end()
        if (moment === 'just after it was answered') response.writeHead(204).end()
        killing ??= kill?.() ?? null
      })
      const tenant = await subscribe(api, receiver.url)
      const child = await startKilledNode({ databaseUrl: database.url, masterKey: key.toString('base64') })
      kill = child.kill
      const events = await insertEvents(database, tenant, 100)
      await until('the kill', () => killing !== null)
      await killing
      const before = receiver.calls.length
      const { sending: inHand = 0 } = await countByStatus(database, tenant.appId)
      assert.ok(inHand > 0, 'it died with events in hand')
      receiver.answerWith(status(204))
      await endLeases(database)
      await start('worker')
      await settled(database, tenant.appId, 120_000)
      assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 100 })
      assertAllCame(receiver.calls, events)
      assert.ok(
        receiver.calls.length <= 100 + inHand,
        `${receiver.calls.length} calls, ${before} before the kill with ${inHand} in hand`,
      )
      await receiver.close()
    })
  }

  it('an event whose sender vanished is held while its endpoint is paused, and is the probe if it is the oldest', async () => {
    const node = await start()
    const receiver = await startReceiver()
    const tenant = await subscribe(node, receiver.url)
    await pauseEndpoint(database, tenant.appId)
    const [oldest] = [...(await insertEvents(database, tenant, 3)).keys()]
    await database.query("update events set status = 'sending', attempt = 1 where event_id = $1", [oldest])
    await until('all three to be held', async () => (await webhook(node, tenant.appId)).held === 3)
    await enable(node, tenant.appId)
    await settled(database, tenant.appId)
    assert.equal(receiver.calls[0]?.id, oldest)
    assert.equal(receiver.calls.length, 3)
    await receiver.close()
  })

  it('a sender that comes back after its lease changes nothing', async () => {
    const node = await start()
    let answer: () => void = () => {}
    const receiver = await startReceiver(({ index }, response) => {
      if (index === 0) answer = () => response.writeHead(500).end()
      else response.writeHead(204).end()
    })
    const tenant = await subscribe(node, receiver.url)
    await insertEvents(database, tenant, 1)
    await until('the first call', () => receiver.calls.length === 1)
    await endLeases(database)
    await settled(database, tenant.appId)
    answer()
    const attempts = async () =>
      (await node.manage('GET', `/apps/${tenant.appId}/events`)).body.events[0].attempts.length
    await until('both attempts to be in the list', async () => (await attempts()) === 2)
    assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 1 })
    assert.equal((await webhook(node, tenant.appId)).status, 'active')
    await receiver.close()
  })

  it('a probe that was given up for lost and is taken after all is not sent once more', async () => {
    const tenant = await subscribe(await start('api'), 'http://127.0.0.1:9/')
    await pauseEndpoint(database, tenant.appId)
    // The state in which another node leaves a retry whose sender it counts as dead.
    const [[eventId = '', body = ''] = []] = await insertEvents(database, tenant, 1, { isRetry: true })
    const [endpoint] = await database.query<{ endpoint_id: EndpointId }>(
      "update webhook_endpoints set status = 'probing' where app_id = $1 returning endpoint_id",
      [tenant.appId],
    )
    assert.ok(endpoint)
    const own = openDatabase(database.url, 2, () => {})
    const { taken } = createOutcomes({ database: own, clock: { nowMs: Date.now } })
    await taken(
      {
        companyId: tenant.companyId as CompanyId,
        appId: tenant.appId as AppId,
        endpointId: endpoint.endpoint_id,
        eventId,
        body,
        attempt: 1,
        isRetried: true,
        isProbe: true,
        url: '',
        secret: Buffer.alloc(0),
        previousSecret: null,
      },
      { status: 204, latencyMs: 1, answer: '', error: null, signed: '1 a b' },
    )
    await own.close()
    assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 1 })
  })

  it('connections to PostgreSQL that are cut under load lose nothing, and every loop goes on', async () => {
    const [one] = [await start(), await start()]
    const receiver = await startReceiver((_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 5)
    })
    const tenant = await subscribe(one, receiver.url)
    const events = await insertEvents(database, tenant, 500)
    const reached = (what: string, look: () => boolean | Promise<boolean>) =>
      until(
        what,
        async () => {
          await endLeases(database, 3)
          return look()
        },
        60_000,
      )
    for (let cut = 1; cut <= 6; cut++) {
      await reached('some progress', () => receiver.calls.length >= cut * 60)
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'countersign'`,
      )
    }
    await reached('the end', async () => {
      const { waiting = 0, sending = 0 } = await countByStatus(database, tenant.appId)
      return waiting + sending === 0
    })
    assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 500 })
    assertAllCame(receiver.calls, events)
    const otpId = await approve(one, tenant)
    await until('an event made after it', () => receiver.calls.find(({ body }) => body.includes(otpId)))
    await receiver.close()
  })
})
