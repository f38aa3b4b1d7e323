import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { until } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'
import { eventRows, insertEvents, makeDue, type Subscriber, settled, subscribe } from './support.ts'

/** Long enough for a receiver that answers, on a busy machine. */
const deadlineMs = 3_000
const plannedSeconds = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000]

describe('attempts', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, {
      door: { allowedRanges: ['127.0.0.0/8'], allowsHttp: true, deadlineMs },
    })
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const oneEvent = async (receiver: Receiver): Promise<Subscriber> => {
    const tenant = await subscribe(node, receiver.url)
    await insertEvents(database, tenant, 1)
    return tenant
  }
  /** The event's row once this many attempts have ended. */
  const afterAttempts = (appId: string, count: number) =>
    until(`attempt ${count} to end`, async () => {
      const [row] = await eventRows(database, appId)
      return row && row.attempt === count && row.status !== 'sending' && row
    })
  const isNear = (secondsLeft: number, seconds: number) =>
    assert.ok(
      secondsLeft > seconds * 0.9 - 4 && secondsLeft <= seconds * 1.2,
      `${secondsLeft} s left where ${seconds} were planned`,
    )

  it('are repeated on the schedule and given up after the last', async () => {
    const receiver = await startReceiver(status(500))
    const tenant = await oneEvent(receiver)
    for (const [index, seconds] of plannedSeconds.entries()) {
      const row = await afterAttempts(tenant.appId, index + 1)
      assert.equal(row.status, 'waiting')
      isNear(row.seconds_left, seconds)
      await makeDue(database, tenant.appId)
    }
    assert.equal((await afterAttempts(tenant.appId, 9)).status, 'failed')
    assert.equal(receiver.calls.length, 9)
    await receiver.close()
  })

  it('wait as long as the endpoint asks, in seconds or to a date, within bounds', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    for (const [asked, seconds] of [
      ['120', 120],
      [inAnHour, 3_600],
      ['1', 5],
      ['999999999', 43_200],
      ['whenever', 5],
    ] as const) {
      const receiver = await startReceiver(status(503, { 'retry-after': asked }))
      const tenant = await oneEvent(receiver)
      isNear((await afterAttempts(tenant.appId, 1)).seconds_left, seconds)
      await receiver.close()
    }
  })

  it('succeed with any 2xx and with nothing else; a redirect is not followed', async () => {
    const elsewhere = await startReceiver()
    const answers = [200, 201, 202, 204, 206, 299, 301, 302, 307, 308, 304, 400, 401, 404, 429, 500, 503]
    for (const code of answers) {
      const receiver = await startReceiver(status(code, { location: elsewhere.url }))
      const tenant = await oneEvent(receiver)
      const row = await afterAttempts(tenant.appId, 1)
      assert.equal(row.status, code < 300 ? 'delivered' : 'waiting', String(code))
      await receiver.close()
    }
    assert.equal(elsewhere.calls.length, 0)
    await elsewhere.close()
  })

  it('fail when no status line comes in time, and succeed when it does though the body never ends', async () => {
    const silent = await startReceiver(() => {})
    const endless = await startReceiver((_received, response) => {
      response.writeHead(200).write('so far')
    })
    const [one, other] = [await oneEvent(silent), await oneEvent(endless)]
    assert.equal((await afterAttempts(one.appId, 1)).status, 'waiting')
    await settled(database, other.appId)
    const attemptOf = async ({ appId }: Subscriber) =>
      (await node.manage('GET', `/apps/${appId}/events`)).body.events[0].attempts[0]
    const failed = await attemptOf(one)
    assert.deepEqual([failed.status, failed.error], [null, `no answer within ${deadlineMs / 1_000} s`])
    const taken = await attemptOf(other)
    assert.deepEqual([taken.status, taken.answer], [200, 'so far'])
    assert.ok(taken.latency_ms >= deadlineMs - 50)
    await silent.close()
    await endless.close()
  })
})
