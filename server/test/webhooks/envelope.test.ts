import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Receipt } from '../../src/channels/channel.ts'
import { Capture, hearing } from '../harness/capture.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createTenant, message, started, until, verify, wrongCode } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Received, type Receiver, startRawReceiver, startReceiver, status } from './receiver.ts'
import { approve, eventRows, makeDue, type Subscriber, settled, subscribe } from './support.ts'

describe('events', () => {
  const capture = new Capture()
  let database: TestDatabase
  let node: Node
  let receiver: Receiver
  let tenant: Subscriber

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, { capture, builtIn: () => capture.providers().map(hearing) })
    receiver = await startReceiver()
    tenant = await subscribe(node, receiver.url)
  })
  after(async () => {
    await node?.close()
    await receiver?.close()
    await database?.close()
  })

  const hear = async (deliveryId: string, ending: 'delivered' | 'failed') => {
    const error = ending === 'failed' ? { code: 'absent', message: 'The phone was off.' } : null
    const receipt: Receipt = { deliveryId, messageId: null, status: ending, error, unreachable: false }
    const heard = await node.call('POST', '/hooks/capture-sms', {
      body: JSON.stringify(receipt),
      headers: { 'content-type': 'application/octet-stream' },
    })
    assert.equal(heard.status, 200, JSON.stringify(heard.body))
  }
  /** A message that its provider has accepted. */
  const sent = async () => {
    const { otpId, recipient } = await started(node, tenant.serverKey)
    const { deliveryId } = await message(node, recipient)
    return { otpId, deliveryId }
  }
  const eventOf = (otpId: string, type: string): Promise<Received> =>
    until(`${type} of a verification`, () =>
      receiver.calls.find(({ body }) => body.includes(otpId) && JSON.parse(body).type === type),
    )
  const plain = (headers: Received['headers']) => headers as Record<string, string>

  it('otp.approved carries exactly its id, type and payload', async () => {
    const otpId = await approve(node, tenant)
    const { body, id, headers } = await eventOf(otpId, 'otp.approved')
    assert.match(id, /^evt_/)
    assert.equal(
      body,
      JSON.stringify({ id, type: 'otp.approved', payload: { otp_id: otpId, status: 'approved' } }),
    )
    assert.equal(headers['content-type'], 'application/json')
  })

  it('otp.failed carries exactly its id, type and payload', async () => {
    const { otpId, code } = await started(node, tenant.serverKey)
    for (let guess = 0; guess < 5; guess++) await verify(node, tenant.serverKey, otpId, wrongCode(code))
    const { body, id } = await eventOf(otpId, 'otp.failed')
    assert.equal(
      body,
      JSON.stringify({ id, type: 'otp.failed', payload: { otp_id: otpId, status: 'failed' } }),
    )
  })

  for (const ending of ['delivered', 'failed'] as const) {
    it(`delivery.${ending} carries exactly its id, type and payload`, async () => {
      const { otpId, deliveryId } = await sent()
      await hear(deliveryId, ending)
      const { body, id } = await eventOf(otpId, `delivery.${ending}`)
      const payload = { otp_id: otpId, delivery_id: deliveryId, status: ending }
      assert.equal(body, JSON.stringify({ id, type: `delivery.${ending}`, payload }))
    })
  }

  it('is signed over timestamp and raw body with the whole secret', async () => {
    const { body, headers } = await eventOf(await approve(node, tenant), 'otp.approved')
    const timestamp = String(headers['x-webhook-timestamp'])
    assert.match(timestamp, /^\d{10}$/)
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 30)
    const expected = createHmac('sha256', tenant.secret).update(`${timestamp}.${body}`).digest('hex')
    assert.equal(headers['x-webhook-signature'], expected)
    assert.equal(headers['x-webhook-signature-previous'], undefined)
  })

  it('spells its headers on the wire as they are documented', async (test) => {
    const seen: string[] = []
    const raw = await startRawReceiver((socket, head) => {
      seen.push(head)
      socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
    })
    test.after(raw.close)
    const { appId } = await subscribe(node, raw.url)
    await node.manage('POST', `/apps/${appId}/webhook/rotate-secret`)
    await node.manage('POST', `/apps/${appId}/webhook/test`)
    const request = await until('the event', () => seen[0])
    for (const line of [
      /^X-Webhook-Signature: [0-9a-f]{64}\r$/m,
      /^X-Webhook-Signature-Previous: [0-9a-f]{64}\r$/m,
      /^X-Webhook-Timestamp: \d{10}\r$/m,
    ])
      assert.match(request, line)
  })

  it('is verified by whoever follows Standard Webhooks, and refused when anything is off', async () => {
    const { body, headers, id } = await eventOf(await approve(node, tenant), 'otp.approved')
    const verifier = new Webhook(tenant.secret)
    assert.deepEqual(verifier.verify(body, plain(headers)), JSON.parse(body))
    assert.equal(headers['webhook-id'], id)
    assert.throws(() => verifier.verify(body.replace('approved', 'Approved'), plain(headers)))
    assert.throws(() => new Webhook(`whsec_${'A'.repeat(43)}=`).verify(body, plain(headers)))
    const stale = { ...plain(headers), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 3_600) }
    assert.throws(() => verifier.verify(body, stale))
    assert.throws(() => verifier.verify(body, { ...plain(headers), 'webhook-id': 'evt_another' }))
  })

  it('has the same id and the same bytes on every attempt and replay, with a new timestamp and signature', async () => {
    const flaky = await startReceiver(status(500))
    const own = await subscribe(node, flaky.url)
    await approve(node, own)
    const reached = (count: number) => until(`attempt ${count}`, () => flaky.calls[count - 1])
    // A signature changes with the second, by the clock that the node signs with.
    const nextSecondAfter = ({ headers }: Received) =>
      until(
        'the next second',
        () => node.app.clock.nowMs() / 1000 >= Number(headers['x-webhook-timestamp']) + 1,
      )
    const [first] = [await reached(1)]
    await nextSecondAfter(first)
    flaky.answerWith(status(204))
    await until('the failure to be written', async () => (await eventRows(database, own.appId))[0]?.is_retry)
    await makeDue(database, own.appId)
    const second = await reached(2)
    await settled(database, own.appId)
    await nextSecondAfter(second)
    assert.equal((await node.manage('POST', `/events/${first.id}/replay`)).status, 200)
    const third = await reached(3)
    const all = [first, second, third]
    assert.equal(new Set(all.map(({ body }) => body)).size, 1)
    assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const name of ['x-webhook-timestamp', 'x-webhook-signature', 'webhook-signature'])
      assert.equal(new Set(all.map(({ headers }) => headers[name])).size, 3, name)
    for (const { body, headers } of all) new Webhook(own.secret).verify(body, plain(headers))
    await flaky.close()
  })

  it('is one for fifty parallel right codes', async () => {
    const { otpId, code } = await started(node, tenant.serverKey)
    await Promise.all(Array.from({ length: 50 }, () => verify(node, tenant.serverKey, otpId, code)))
    await eventOf(otpId, 'otp.approved')
    await settled(database, tenant.appId)
    assert.equal(receiver.calls.filter(({ body }) => body.includes(otpId)).length, 1)
  })

  it('is one for the wrong codes that exhaust a verification at once', async () => {
    const { otpId, code } = await started(node, tenant.serverKey)
    await Promise.all(
      Array.from({ length: 30 }, () => verify(node, tenant.serverKey, otpId, wrongCode(code))),
    )
    await eventOf(otpId, 'otp.failed')
    await settled(database, tenant.appId)
    assert.equal(receiver.calls.filter(({ body }) => body.includes(otpId)).length, 1)
  })

  it('is one for a receipt that comes twenty times, with others behind it', async () => {
    const { otpId, deliveryId } = await sent()
    await Promise.all(Array.from({ length: 20 }, () => hear(deliveryId, 'delivered')))
    await Promise.all(Array.from({ length: 5 }, () => hear(deliveryId, 'failed')))
    await eventOf(otpId, 'delivery.delivered')
    await settled(database, tenant.appId)
    assert.equal(receiver.calls.filter(({ body }) => body.includes(otpId)).length, 1)
  })

  it('is made in the commit of the change: without the one there is not the other', async () => {
    const { otpId, code } = await started(node, tenant.serverKey)
    await database.query(`create function refuse_event() returns trigger language plpgsql as $$
      begin if new.otp_id = '${otpId}' then raise exception 'no event'; end if; return new; end $$`)
    await database.query(
      'create trigger refuse before insert on events for each row execute function refuse_event()',
    )
    const broken = await verify(node, tenant.serverKey, otpId, code)
    assert.equal(broken.status, 500)
    const look = () =>
      database.query<{ status: string }>('select status from verifications where otp_id = $1', [otpId])
    assert.equal((await look())[0]?.status, 'pending')
    await database.query('drop trigger refuse on events')
    assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.status, 'approved')
    await eventOf(otpId, 'otp.approved')
  })

  it('is skipped where the app has no endpoint', async () => {
    const silent = await createTenant(node)
    await approve(node, silent)
    const listed = await node.manage('GET', `/apps/${silent.appId}/events`)
    assert.deepEqual(
      listed.body.events.map(({ status, attempts }: { status: string; attempts: [] }) => [status, attempts]),
      [['skipped', []]],
    )
  })
})
