import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OutgoingMessage, Receipt, SendOutcome } from '../src/channels/channel.ts'
import { createReceiptBook, recordReceipt } from '../src/domain/delivery/index.ts'
import { Capture, hearing } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
} from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const provider = 'capture-sms'
const failure = { code: 'absent', message: 'The phone was off.' }

describe('receipts', () => {
  const capture = new Capture()
  let database: TestDatabase
  let node: Node
  /** Brings a receipt as an account's own connection would. */
  let overConnection: (providerId: string, receipt: Receipt) => void = () => {}
  /** What the provider does before it answers. */
  let beforeAnswer: ((outgoing: OutgoingMessage) => Promise<SendOutcome | undefined>) | null = null

  before(async () => {
    database = await createTestDatabase()
    let count = 0
    capture.answerWith(async (outgoing) => {
      const outcome = await beforeAnswer?.(outgoing)
      return outcome ?? { kind: 'accepted', messageId: `rec-${++count}` }
    })
    node = await startNode(database.url, {
      capture,
      builtIn: (onReceipt) => {
        overConnection = onReceipt
        return capture.providers().map(hearing)
      },
    })
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const word = (status: 'delivered' | 'failed', names: Partial<Receipt>): Receipt => ({
    deliveryId: null,
    messageId: null,
    status,
    error: status === 'failed' ? failure : null,
    unreachable: false,
    ...names,
  })
  const record = (receipt: Receipt, from = provider, daysLater = 0) => {
    const clock = { nowMs: () => node.app.clock.nowMs() + daysLater * 86_400_000 }
    const app = { ...node.app, clock }
    return recordReceipt({ ...app, receiptBook: createReceiptBook(app), onApplied: () => {} }, from, receipt)
  }
  const look = async (deliveryId: string) => {
    const [row] = await database.query<{
      status: string
      charge: string
      error_code: string | null
      channel: string
    }>('select status, charge, error_code, channel from deliveries where delivery_id = $1', [deliveryId])
    const events = await database.query<{ type: string }>('select type from events where delivery_id = $1', [
      deliveryId,
    ])
    const entries = await database.query<{ kind: string }>(
      'select kind from ledger where delivery_id = $1 order by kind',
      [deliveryId],
    )
    return { ...row, events: events.map(({ type }) => type), entries: entries.map(({ kind }) => kind) }
  }
  const reaches = (deliveryId: string, status: string) =>
    until(`a delivery that is ${status}`, async () => {
      const seen = await look(deliveryId)
      return seen.status === status && seen
    })
  const delivered = {
    status: 'delivered',
    charge: 'captured',
    error_code: null,
    channel: 'sms',
    events: ['delivery.delivered'],
    entries: ['capture', 'reserve'],
  }
  const failed = {
    status: 'failed',
    charge: 'returned',
    error_code: 'absent',
    channel: 'sms',
    events: ['delivery.failed'],
  }
  async function sent() {
    const tenant = await createTenant(node)
    const { otpId, recipient, code } = await started(node, tenant.serverKey)
    const { deliveryId, messageId } = await message(node, recipient)
    await reaches(deliveryId, 'sent')
    return { ...tenant, otpId, recipient, code, deliveryId, messageId }
  }
  const balanceOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}`)).body.balance as string

  it('a delivery is delivered once its receipt has come, by either of its names', async () => {
    for (const name of ['deliveryId', 'messageId'] as const) {
      const one = await sent()
      assert.equal(await record(word('delivered', { [name]: one[name] })), true)
      assert.deepEqual(await look(one.deliveryId), delivered)
      assert.equal(await balanceOf(one.companyId), '999.950000')
    }
  })

  it('a failure gives the money back and says why', async () => {
    const one = await sent()
    await record(word('failed', { deliveryId: one.deliveryId }))
    assert.deepEqual(await look(one.deliveryId), { ...failed, entries: ['capture', 'reserve', 'return'] })
    assert.equal(await balanceOf(one.companyId), '1000.000000')
    const { body } = await node.call('GET', `/api/v1/otp/${one.otpId}`, { key: one.serverKey })
    assert.deepEqual(body.deliveries[0].error, failure)
  })

  it('a receipt that comes again changes nothing and makes no second event', async () => {
    for (const status of ['delivered', 'failed'] as const) {
      const one = await sent()
      await record(word(status, { deliveryId: one.deliveryId }))
      const first = await look(one.deliveryId)
      for (const name of ['deliveryId', 'messageId'] as const)
        assert.equal(await record(word(status, { [name]: one[name] })), true)
      assert.deepEqual(await look(one.deliveryId), first)
      assert.equal(await balanceOf(one.companyId), status === 'failed' ? '1000.000000' : '999.950000')
    }
  })

  it('of receipts that contradict each other the first stands', async () => {
    for (const [first, second] of [
      ['delivered', 'failed'],
      ['failed', 'delivered'],
    ] as const) {
      const one = await sent()
      await record(word(first, { deliveryId: one.deliveryId }))
      const before = await look(one.deliveryId)
      await record(word(second, { deliveryId: one.deliveryId }))
      assert.deepEqual(await look(one.deliveryId), before)
      assert.equal(before.status, first)
    }
  })

  it('of the names that a message may have, the one that is known counts; with those of two, neither is touched', async () => {
    const [one, other] = [await sent(), await sent()]
    const names = { messageId: one.messageId, otherIds: ['never-seen', other.messageId] }
    assert.equal(await record(word('delivered', names)), true)
    const states = async () => [(await look(one.deliveryId)).status, (await look(other.deliveryId)).status]
    assert.deepEqual(await states(), ['sent', 'sent'])
    const certain = { messageId: 'never-seen', otherIds: [other.messageId] }
    assert.equal(await record(word('delivered', certain)), true)
    assert.deepEqual(await states(), ['sent', 'delivered'])
  })

  it('twenty receipts at once end in one state with one event and at most one return', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await sent()
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          record(word(index % 2 ? 'failed' : 'delivered', { deliveryId: one.deliveryId })),
        ),
      )
      const seen = await look(one.deliveryId)
      assert.deepEqual(seen.events, [`delivery.${seen.status}`])
      assert.equal(await balanceOf(one.companyId), seen.status === 'failed' ? '1000.000000' : '999.950000')
    }
  })

  it('a receipt for an unknown message, or from an account that did not carry it, is nobody’s', async () => {
    const one = await sent()
    const before = await look(one.deliveryId)
    assert.equal(await record(word('failed', { deliveryId: 'dlv_01hzzzzzzzzzzzzzzzzzzzzzzz' })), false)
    assert.equal(await record(word('failed', { messageId: 'never-seen' })), false)
    assert.equal(await record(word('failed', {})), false)
    for (const name of ['deliveryId', 'messageId'] as const)
      assert.equal(await record(word('failed', { [name]: one[name] }), 'capture-whatsapp'), false)
    assert.deepEqual(await look(one.deliveryId), before)
  })

  for (const status of ['delivered', 'failed'] as const) {
    it(`a receipt (${status}) that comes before our own write stands, and is paid once`, async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      beforeAnswer = async ({ deliveryId, recipient: to }) => {
        if (to === recipient) assert.equal(await record(word(status, { deliveryId })), true)
        return undefined
      }
      await send(node, tenant.serverKey, { recipient })
      const { deliveryId } = await message(node, recipient)
      // A second message through the same worker shows that the first result has been written.
      await sent()
      const expected = status === 'delivered' ? delivered : { ...failed, entries: ['reserve', 'return'] }
      assert.deepEqual(await look(deliveryId), expected)
      assert.equal(await balanceOf(tenant.companyId), status === 'failed' ? '1000.000000' : '999.950000')
      beforeAnswer = null
    })
  }

  it('a receipt by message id over the account’s connection, before our own write, is not lost', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    beforeAnswer = async ({ recipient: to }) => {
      if (to !== recipient) return undefined
      overConnection(provider, word('delivered', { messageId: 'early-connection' }))
      return { kind: 'accepted', messageId: 'early-connection' }
    }
    await send(node, serverKey, { recipient })
    const { deliveryId } = await message(node, recipient)
    beforeAnswer = null
    assert.deepEqual(await reaches(deliveryId, 'delivered'), delivered)
  })

  it('a receipt by message id over a callback, before our own write, is not lost', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    beforeAnswer = async ({ recipient: to }) => {
      if (to !== recipient) return undefined
      const body = word('delivered', { messageId: 'early-callback' })
      assert.equal((await node.call('POST', `/hooks/${provider}`, { body })).status, 200)
      return { kind: 'accepted', messageId: 'early-callback' }
    }
    await send(node, serverKey, { recipient })
    const { deliveryId } = await message(node, recipient)
    beforeAnswer = null
    assert.deepEqual(await reaches(deliveryId, 'delivered'), delivered)
  })

  it('a late failure of an old delivery does not touch the new one', async () => {
    const one = await sent()
    assert.equal((await resend(node, one.serverKey, one.otpId)).body.channel, 'whatsapp')
    const second = await message(node, one.recipient, 1)
    await reaches(second.deliveryId, 'sent')
    await record(word('failed', { deliveryId: one.deliveryId }))
    assert.equal((await look(one.deliveryId)).status, 'failed')
    assert.deepEqual(await look(second.deliveryId), {
      ...delivered,
      status: 'sent',
      channel: 'whatsapp',
      events: [],
    })
    const { body } = await node.call('GET', `/api/v1/otp/${one.otpId}`, { key: one.serverKey })
    assert.deepEqual([body.status, body.channel], ['pending', 'whatsapp'])
    assert.equal(await balanceOf(one.companyId), '999.980000')
    assert.equal((await verify(node, one.serverKey, one.otpId, one.code)).body.matched, true)
  })

  it('a receipt after the verification was finished still moves its delivery', async () => {
    const one = await sent()
    await verify(node, one.serverKey, one.otpId, one.code)
    await record(word('delivered', { deliveryId: one.deliveryId }))
    assert.deepEqual(await look(one.deliveryId), delivered)
  })

  it('a receipt that calls the person unreachable is remembered as a provider’s answer is', async () => {
    const one = await sent()
    await record(word('failed', { deliveryId: one.deliveryId, unreachable: true }))
    assert.equal((await send(node, one.serverKey, { recipient: one.recipient })).body.channel, 'whatsapp')
    assert.equal(
      (await resend(node, one.serverKey, one.otpId, 'sms')).body.error.type,
      'ResendNotAllowedError',
    )
  })

  it('an old message id that the provider uses again means the newest delivery', async () => {
    beforeAnswer = async () => ({ kind: 'accepted', messageId: 'again' })
    const [older, newer] = [await sent(), await sent()]
    beforeAnswer = null
    await record(word('delivered', { messageId: 'again' }))
    assert.equal((await look(older.deliveryId)).status, 'sent')
    assert.equal((await look(newer.deliveryId)).status, 'delivered')
  })

  it('a message id means nothing after three days, since providers use theirs again', async () => {
    beforeAnswer = async () => ({ kind: 'accepted', messageId: 'of long ago' })
    const { deliveryId } = await sent()
    beforeAnswer = null
    const said = word('delivered', { messageId: 'of long ago' })
    assert.equal(await record(said, provider, 3.01), false)
    assert.equal((await look(deliveryId)).status, 'sent')
    assert.equal(await record(said, provider, 2.99), true)
  })
})
