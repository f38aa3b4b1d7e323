import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { until } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'
import {
  approve,
  countByStatus,
  enable,
  eventRows,
  insertEvents,
  makeDue,
  pauseEndpoint,
  settled,
  subscribe,
  webhook,
} from './support.ts'

const backlog = 10_000
/** The window of an endpoint that is new or has just been enabled. */
const firstWindow = 10

describe('a pause', () => {
  let database: TestDatabase
  let nodes: [Node, Node]
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    // A long deadline, so that no attempt times out while a test looks at it.
    const door = { allowedRanges: ['127.0.0.0/8'], allowsHttp: true, deadlineMs: 60_000 }
    nodes = [await startNode(database.url, { door }), await startNode(database.url, { door })]
    node = nodes[0]
  })
  after(async () => {
    for (const each of nodes ?? []) await each.close()
    await database?.close()
  })

  const paused = (appId: string) =>
    until('the endpoint to be paused', async () => {
      const seen = await webhook(node, appId)
      return seen.status === 'paused' && seen
    })
  /** Waits until both nodes have looked for due events at least twice. */
  const twoLooks = async () => {
    const canary = await startReceiver()
    for (let look = 0; look < 2; look++) {
      const tenant = await subscribe(node, canary.url)
      await insertEvents(database, tenant, 2)
      await settled(database, tenant.appId)
    }
    await canary.close()
  }
  const unsent = async (appId: string) =>
    (await node.manage('GET', `/apps/${appId}/webhook/unsent`)).body.unsent
  const withEndpoint = async (receiver: Receiver) => ({ ...(await subscribe(node, receiver.url)) })

  it('follows a 410 at once, and that event is held', async () => {
    const receiver = await startReceiver(status(410))
    const tenant = await withEndpoint(receiver)
    await approve(node, tenant)
    const seen = await paused(tenant.appId)
    assert.equal(seen.held, 1)
    assert.ok(seen.paused_at)
    assert.match(seen.reason, /410/)
    const { body } = await node.manage('GET', `/apps/${tenant.appId}/events`)
    assert.deepEqual([body.events[0].status, body.events[0].next_attempt_at], ['held', null])
    receiver.answerWith(status(204))
    await enable(node, tenant.appId)
    await settled(database, tenant.appId)
    assert.equal(receiver.calls.length, 2)
    receiver.answerWith(status(410))
    await node.manage('POST', `/events/${body.events[0].id}/replay`)
    assert.equal((await paused(tenant.appId)).held, 1, 'also one that has a single attempt')
    await receiver.close()
  })

  it('follows exactly twenty failed attempts in a row, though they end together on two nodes', async () => {
    for (let round = 0; round < 3; round++) {
      const receiver = await startReceiver(async (_received, response) => {
        setTimeout(() => response.writeHead(500).end(), Math.random() * 30)
      })
      const tenant = await withEndpoint(receiver)
      await insertEvents(database, tenant, 60)
      const seen = await paused(tenant.appId)
      assert.match(seen.reason, /20 attempts/)
      assert.equal(seen.held, 60)
      await twoLooks()
      assert.equal(receiver.calls.length, 20, 'the twentieth is the last')
      const [row] = await database.query<{ failures: number }>(
        'select failures from webhook_endpoints where app_id = $1',
        [tenant.appId],
      )
      assert.equal(row?.failures, 20)
      await receiver.close()
    }
  })

  it('does not follow nineteen failures and a success: the count begins anew', async () => {
    // Retry-After delays the next attempt, so that none is retried meanwhile.
    const busy = status(503, { 'retry-after': '3600' })
    const receiver = await startReceiver(busy)
    const tenant = await withEndpoint(receiver)
    const ended = (attempts: number) =>
      until(`${attempts} attempts to end`, async () => {
        const { sending = 0 } = await countByStatus(database, tenant.appId)
        return receiver.calls.length === attempts && sending === 0
      })
    await insertEvents(database, tenant, 19)
    await ended(19)
    // A success soon after another is not written down as one, and still ends the row of failures.
    await database.query(
      "update webhook_endpoints set last_success_at = clock_timestamp() + interval '1 minute' where app_id = $1",
      [tenant.appId],
    )
    receiver.answerWith(status(204))
    await insertEvents(database, tenant, 1)
    await ended(20)
    receiver.answerWith(busy)
    await makeDue(database, tenant.appId)
    await ended(39)
    assert.equal((await webhook(node, tenant.appId)).status, 'active')
    await makeDue(database, tenant.appId)
    await paused(tenant.appId)
    assert.equal(receiver.calls.length, 40)
    await receiver.close()
  })

  it('follows one event given up with no success since, and not one with a success since', async () => {
    for (const hasSuccess of [false, true]) {
      const receiver = await startReceiver(status(503, { 'retry-after': '3600' }))
      const tenant = await withEndpoint(receiver)
      if (hasSuccess)
        await database.query(
          "update webhook_endpoints set last_success_at = clock_timestamp() + interval '1 minute' where app_id = $1",
          [tenant.appId],
        )
      await insertEvents(database, tenant, 1)
      await until('the first attempt', async () => (await eventRows(database, tenant.appId))[0]?.is_retry)
      await database.query('update events set attempt = 8 where app_id = $1', [tenant.appId])
      await makeDue(database, tenant.appId)
      await until(
        'the event to be given up',
        async () => (await countByStatus(database, tenant.appId)).failed === 1,
      )
      const seen = await webhook(node, tenant.appId)
      assert.equal(seen.status, hasSuccess ? 'active' : 'paused')
      if (!hasSuccess) assert.match(seen.reason, /given up/)
      await receiver.close()
    }
  })

  it('holds every event and attempts none; a new URL does not end it; the new URL is the one used after', async () => {
    const [old, fresh] = [await startReceiver(), await startReceiver()]
    const tenant = await withEndpoint(old)
    await pauseEndpoint(database, tenant.appId)
    await approve(node, tenant)
    await insertEvents(database, tenant, 4)
    const put = await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: fresh.url })
    assert.deepEqual([put.body.status, put.body.signing_secret], ['paused', null])
    await twoLooks()
    assert.equal((await webhook(node, tenant.appId)).held, 5)
    assert.equal(await unsent(tenant.appId), 5)
    assert.equal(old.calls.length + fresh.calls.length, 0)
    await enable(node, tenant.appId)
    await settled(database, tenant.appId)
    assert.deepEqual([old.calls.length, fresh.calls.length], [0, 5])
    assert.equal(await unsent(tenant.appId), 0)
    assert.equal((await webhook(node, tenant.appId)).held, 0)
    await Promise.all([old.close(), fresh.close()])
  })

  it('ends with the oldest event tried alone, and begins again at once if that fails', async () => {
    const receiver = await startReceiver(status(500))
    const tenant = await withEndpoint(receiver)
    await pauseEndpoint(database, tenant.appId)
    const events = [...(await insertEvents(database, tenant, 50)).keys()]
    // The oldest has failed before and is not due for hours, but it must still be the probe.
    await database.query(
      "update events set is_retry = true, attempt = 8, next_attempt_at = clock_timestamp() + interval '5 hours' where app_id = $1 and event_id = $2",
      [tenant.appId, events[0]],
    )
    for (let time = 1; time <= 3; time++) {
      await enable(node, tenant.appId)
      await paused(tenant.appId)
      await twoLooks()
      assert.deepEqual(
        receiver.calls.map(({ id }) => id),
        Array.from({ length: time }, () => events[0]),
      )
      assert.equal((await webhook(node, tenant.appId)).held, 50, 'trying costs no event')
    }
    let answerFirst: () => void = () => {}
    receiver.answerWith(({ index }, response) => {
      if (index === 3) answerFirst = () => response.writeHead(204).end()
      else response.writeHead(204).end()
    })
    await enable(node, tenant.appId)
    await until('the oldest', () => receiver.calls.length === 4)
    await twoLooks()
    assert.equal(receiver.calls.length, 4, 'the rest waits for the answer')
    answerFirst()
    await settled(database, tenant.appId)
    const order = receiver.calls.slice(3).map(({ id }) => id)
    assert.deepEqual([...order].sort(), events)
    for (const [index, id] of order.entries())
      assert.ok(Math.abs(events.indexOf(id) - index) <= 2 * firstWindow, `oldest first: ${index}`)
    await receiver.close()
  })

  it('is not brought back by an attempt that was under way when the endpoint was enabled', async () => {
    const pending: (() => void)[] = []
    const receiver = await startReceiver(({ index }, response) => {
      if (index < 2) pending.push(() => response.writeHead(500).end())
      else response.writeHead(204).end()
    })
    const tenant = await withEndpoint(receiver)
    await insertEvents(database, tenant, 2)
    await until('two under way', () => pending.length === 2)
    await pauseEndpoint(database, tenant.appId)
    await insertEvents(database, tenant, 3)
    await enable(node, tenant.appId)
    await twoLooks()
    assert.equal(receiver.calls.length, 2, 'the oldest is tried alone, so what is under way ends first')
    for (const answer of pending) answer()
    await settled(database, tenant.appId)
    assert.equal((await webhook(node, tenant.appId)).status, 'active')
    assert.equal(receiver.calls.length, 7)
    await receiver.close()
  })

  it(`with ${backlog} events held ends with all of them brought in bounded time, ten in flight at most over two nodes, however many there were before`, async () => {
    let answered = 0
    const receiver = await startReceiver((_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 2)
      answered++
    })
    const tenant = await withEndpoint(receiver)
    await insertEvents(database, tenant, 1_000)
    await settled(database, tenant.appId)
    assert.ok(receiver.peak() > firstWindow, `${receiver.peak()} at one time`)
    await pauseEndpoint(database, tenant.appId)
    const before = answered
    const events = await insertEvents(database, tenant, backlog)
    assert.equal((await webhook(node, tenant.appId)).held, backlog)
    receiver.forgetPeak()
    await enable(node, tenant.appId)
    // So many, ten at a time, may take minutes on a machine that is busy with something else.
    await settled(database, tenant.appId, 600_000)
    assert.equal(answered, before + backlog, 'each once')
    const held = receiver.calls.slice(before)
    assert.equal(new Set(held.map(({ id }) => id)).size, backlog)
    for (const { id, body } of held) assert.equal(body, events.get(id))
    assert.ok(receiver.peak() <= firstWindow, `${receiver.peak()} at one time`)
    await receiver.close()
  })

  it('is not needed to delete an endpoint: events waiting and in flight leave nothing that loops', async () => {
    const pending: (() => void)[] = []
    const receiver = await startReceiver((_received, response) => {
      pending.push(() => response.writeHead(500).end())
    })
    const tenant = await withEndpoint(receiver)
    await insertEvents(database, tenant, 1_500)
    await until('ten in flight', () => pending.length === firstWindow)
    const deleted = await node.manage('DELETE', `/apps/${tenant.appId}/webhook`)
    assert.equal(deleted.status, 200)
    // The first is made to look as if its node had died. Before the deletion this would send it once more.
    const [first] = await eventRows(database, tenant.appId)
    await database.query(
      "update events set attempt = attempt + 1, next_attempt_at = clock_timestamp() - interval '1 second' where event_id = $1",
      [first?.event_id],
    )
    for (const answer of pending) answer()
    await settled(database, tenant.appId, 60_000)
    assert.deepEqual(await countByStatus(database, tenant.appId), { skipped: 1_500 })
    assert.equal(pending.length, firstWindow)
    assert.equal((await node.manage('GET', `/apps/${tenant.appId}/webhook`)).status, 404)
    await receiver.close()
  })
})
