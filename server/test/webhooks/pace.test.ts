import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { started, until, verify } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Receiver, startRawReceiver, startReceiver } from './receiver.ts'
import { countByStatus, insertEvents, pauseEndpoint, type Subscriber, settled, subscribe } from './support.ts'

const deadlineMs = 4_000
/** Shorter than one deadline of a slow neighbour. */
const promptMs = 3_500
const ok = 'HTTP/1.1 200 OK\r\n'

describe('pace', () => {
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

  /** Checks the median: on a busy machine any single event may be late. */
  async function assertPrompt(tenant: Subscriber, good: Receiver): Promise<void> {
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const startedAt = performance.now()
      const [id] = [...(await insertEvents(database, tenant, 1)).keys()]
      await until('the event', () => good.calls.some((call) => call.id === id))
      times.push(performance.now() - startedAt)
    }
    const late = times.filter((ms) => ms >= promptMs)
    assert.ok(late.length <= 2, `${times.map(Math.round).join(' ')} ms`)
  }

  const every = (socket: Socket, ms: number, text: string) => {
    const timer = setInterval(() => socket.write(text), ms)
    socket.on('close', () => clearInterval(timer))
  }
  const pump = (socket: Socket) => {
    const block = Buffer.alloc(65_536, 'x')
    let left = 1_600
    const more = () => {
      while (left-- > 0 && !socket.destroyed) if (!socket.write(block)) return void socket.once('drain', more)
    }
    socket.write(`${ok}content-length: ${left * block.length}\r\n\r\n`)
    more()
  }
  const odd: Record<string, { act: (socket: Socket) => void; ends: 'delivered' | 'waiting' }> = {
    'says nothing': { act: () => {}, ends: 'waiting' },
    'sends headers for ever': {
      act: (socket) => {
        socket.write(ok)
        every(socket, 10, 'x-more: more\r\n')
      },
      ends: 'waiting',
    },
    resets: { act: (socket) => void socket.resetAndDestroy(), ends: 'waiting' },
    'trickles its body': {
      act: (socket) => {
        socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
        every(socket, 20, '1\r\nx\r\n')
      },
      ends: 'delivered',
    },
    'never ends its body': {
      act: (socket) => void socket.write(`${ok}content-length: 9\r\n\r\n1`),
      ends: 'delivered',
    },
    'lies about its length': {
      act: (socket) => void socket.end(`${ok}content-length: 9999\r\n\r\n1`),
      ends: 'delivered',
    },
    'sends a hundred megabytes': { act: pump, ends: 'delivered' },
  }

  it('of one endpoint is not changed by others that trickle, hang, lie, flood or reset', async () => {
    const receivers = []
    const tenants = []
    for (const { act, ends } of Object.values(odd)) {
      const receiver = await startRawReceiver(act)
      receivers.push(receiver)
      const tenant = await subscribe(node, receiver.url)
      await insertEvents(database, tenant, 12)
      tenants.push({ ...tenant, ends })
    }
    const good = await startReceiver()
    const tenant = await subscribe(node, good.url)
    const before = process.memoryUsage().rss
    const startedAt = performance.now()
    await assertPrompt(tenant, good)
    for (const { appId, ends } of tenants)
      await until('the first attempts to end', async () => {
        const rows = await database.query<{ status: string }>(
          'select distinct e.status from events e where app_id = $1 and attempt > 0',
          [appId],
        )
        return rows.some((row) => row.status === ends)
      })
    await settledOnes(tenants)
    assert.ok(performance.now() - startedAt < 60_000)
    assert.ok(process.memoryUsage().rss - before < 200_000_000, 'memory stays bounded')
    await Promise.all([...receivers, good].map((receiver) => receiver.close()))
  })

  async function settledOnes(tenants: readonly { appId: string; ends: string }[]): Promise<void> {
    for (const { appId, ends } of tenants) {
      if (ends === 'delivered') await settled(database, appId, 120_000)
      else await attemptsEnd(appId)
    }
  }

  /** Waits for the attempts that are under way now; others may have started since. */
  async function attemptsEnd(appId: string): Promise<void> {
    const underWay = async () => {
      const rows = await database.query<{ attempt: string }>(
        "select event_id || ' ' || attempt as attempt from events where app_id = $1 and status = 'sending'",
        [appId],
      )
      return rows.map(({ attempt }) => attempt)
    }
    const begun = new Set(await underWay())
    await until('attempts to end', async () => !(await underWay()).some((each) => begun.has(each)))
  }

  it('of a first attempt is not that of hundreds of old retries to the same slow endpoint', async () => {
    let isOpen = false
    const receiver = await startReceiver((_received, response) => {
      if (isOpen) response.writeHead(204).end()
    })
    const tenant = await subscribe(node, receiver.url)
    const { otpId, code } = await started(node, tenant.serverKey)
    const retries = await insertEvents(database, tenant, 300, { ageMs: 60_000, isRetry: true })
    await until('retries under way', () => receiver.calls.length >= 8)
    assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.matched, true)
    const call = await until('the new event', () => receiver.calls.find(({ body }) => body.includes(otpId)))
    // Opened only now: if retries were answered at once, all might be done before a slow machine has verified.
    isOpen = true
    const before = receiver.calls.slice(0, call.index).filter(({ id }) => retries.has(id)).length
    assert.ok(before <= 16, `${before}: those under way, and as many again if their deadline came first`)
    await settledOnes([{ appId: tenant.appId, ends: 'waiting' }])
    await pauseEndpoint(database, tenant.appId)
    await receiver.close()
  })

  it('of an endpoint is not that of another on the same host', async () => {
    const host = await startReceiver(({ path }, response) => {
      if (path === '/quick') response.writeHead(204).end()
    })
    const slow = await subscribe(node, host.url)
    const quick = await subscribe(node, new URL('/quick', host.url).href)
    await insertEvents(database, slow, 40)
    await until('a full house', () => host.calls.length >= 10)
    const startedAt = performance.now()
    await insertEvents(database, quick, 30)
    await settled(database, quick.appId)
    // One after the other, the slow ones would take five deadlines.
    assert.ok(performance.now() - startedAt < 4 * deadlineMs)
    const { delivered } = await countByStatus(database, quick.appId)
    assert.equal(delivered, 30)
    await pauseEndpoint(database, slow.appId)
    await host.close()
  })

  it('of an endpoint is not that of sixty others which all hang', async () => {
    const hole = await startReceiver(() => {})
    const good = await startReceiver()
    const tenant = await subscribe(node, good.url)
    const dead: string[] = []
    for (let count = 0; count < 60; count++) {
      const own = await subscribe(node, hole.url)
      dead.push(own.appId)
      await insertEvents(database, own, 30)
    }
    await until('many to hang', () => hole.calls.length >= 60)
    await assertPrompt(tenant, good)
    for (const appId of dead) await pauseEndpoint(database, appId)
    await Promise.all([hole.close(), good.close()])
  })

  it('of an endpoint is not that of thousands of paused ones with events held', async () => {
    await database.query(
      `with made as (
         insert into apps select (jsonb_populate_record(a, jsonb_build_object('app_id', 'app_0' || lpad(n::text, 25, '0')))).*
           from (select a from apps a limit 1) one, generate_series(1, 3000) n returning app_id, company_id
       ), endpoint as (
         insert into webhook_endpoints (company_id, app_id, endpoint_id, url, secret, status) select company_id, app_id, 'end_one', 'https://example.com', 'x', 'paused' from made
       )
       insert into events (app_id, event_id, endpoint_id, company_id, type, otp_id, body)
       select made.app_id, e.event_id, 'end_one', made.company_id, 'otp.approved', 'otp_none', '{}'
         from made, (select event_id from events limit 1) e`,
    )
    const good = await startReceiver()
    const tenant = await subscribe(node, good.url)
    await assertPrompt(tenant, good)
    await good.close()
  })
})
