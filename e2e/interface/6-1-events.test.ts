import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ReceivedRequest } from '../harness/receiver.ts'
import { channels } from '../harness/simulator.ts'
import { arrivalMs, throughout } from '../harness/wait.ts'
import {
  type App,
  approve,
  codeOf,
  inOrder,
  linked,
  sendTextOf,
  started,
  statusOf,
  wrongCode,
} from './app.ts'
import { accepted, fields, string } from './calls.ts'
import { type Endpoint, headerOf, isGenuine, openWithEndpoint, readEvent } from './endpoint.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail, newPhone, newRecipient } from './people.ts'

const instance = useInstance()
const clocksMayDifferS = 120

async function spendAttempts(app: App): Promise<string> {
  const recipient = newEmail()
  const { otpId } = started(await app.server.send({ recipient }))
  const code = await codeOf(instance(), recipient, 'email')
  for (let guess = 0; guess < 20 && (await statusOf(app, otpId)) === 'pending'; guess++) {
    await app.server.verify(otpId, wrongCode(code))
  }
  return otpId
}

describe('6.1 Event kinds', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`6.1 otp.approved after a right code by ${channel}`, needs('receiver', 'people'), async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance(), inOrder(channel))
      await endpoint.event('otp.approved', await approve(instance(), app, channel))
    })

    test(
      `6.1 delivery.delivered when a receipt says that a message by ${channel} arrived`,
      needs('receiver', 'people'),
      async (t) => {
        const { app, endpoint } = await openWithEndpoint(t, instance(), inOrder(channel))
        const { otpId } = started(await app.server.send({ recipient: newRecipient(channel) }))
        await endpoint.event('delivery.delivered', otpId)
      },
    )

    test(`6.1 delivery.failed when a message by ${channel} fails`, needs('receiver', 'people'), async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance(), inOrder(channel))
      const recipient = newRecipient(channel)
      await instance().simulator.behave(recipient, channel, 'fail')
      const { otpId } = started(await app.server.send({ recipient }))
      await endpoint.event('delivery.failed', otpId)
    })
  }

  test('6.1 otp.approved after the code of link_code', needs('receiver', 'people'), async (t) => {
    const { app, endpoint } = await openWithEndpoint(t, instance(), linked('link_code', 'whatsapp'))
    const recipient = newPhone()
    const { otpId, actionUrl } = started(await app.server.send({ recipient }))
    await sendTextOf(instance(), recipient, actionUrl)
    accepted(await app.server.verify(otpId, await codeOf(instance(), recipient, 'whatsapp')))
    await endpoint.event('otp.approved', otpId)
  })

  test(
    '6.1 otp.approved after an inbound message, without any call',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance(), linked('link_inbound', 'whatsapp'))
      const recipient = newPhone()
      const { otpId, actionUrl } = started(await app.server.send({ recipient }))
      await sendTextOf(instance(), recipient, actionUrl)
      await endpoint.event('otp.approved', otpId)
    },
  )

  test(
    '6.1 otp.failed when the attempts are exhausted, and not before',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance(), { max_verify_attempts: 2 })
      const recipient = newEmail()
      const { otpId } = started(await app.server.send({ recipient }))
      const code = await codeOf(instance(), recipient, 'email')
      await endpoint.event('delivery.delivered', otpId)
      await app.server.verify(otpId, wrongCode(code))
      const kinds = () => endpoint.received.map((request) => readEvent(request, endpoint.secret).type)
      await throughout(arrivalMs, () => assert.deepEqual(kinds(), ['delivery.delivered']))
      await app.server.verify(otpId, wrongCode(code))
      await endpoint.event('otp.failed', otpId)
    },
  )
})

describe('6.2 Envelope', { concurrency: 4 }, () => {
  const envelopeOf = ({ rawBody }: ReceivedRequest) => fields(JSON.parse(rawBody.toString()))

  test(
    '6.2 otp.approved: id, type, and a payload of otp_id and status',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      const otpId = await approve(instance(), app, 'email')
      const [request] = await endpoint.requests('otp.approved', otpId)
      assert.ok(request)
      const { id, ...others } = envelopeOf(request)
      assert.match(string(id), /^evt_./)
      assert.deepEqual(others, { type: 'otp.approved', payload: { otp_id: otpId, status: 'approved' } })
    },
  )

  test(
    '6.2 otp.failed: id, type, and a payload of otp_id and status',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      const otpId = await spendAttempts(app)
      const { id, payload } = await endpoint.event('otp.failed', otpId)
      assert.match(id, /^evt_./)
      assert.deepEqual(Object.keys(payload).sort(), ['otp_id', 'status'])
      assert.equal(typeof payload.status, 'string')
    },
  )

  for (const [outcome, status] of [
    ['deliver', 'delivered'],
    ['fail', 'failed'],
  ] as const) {
    test(
      `6.2 delivery.${status}: id, type, and a payload of otp_id, delivery_id and status`,
      needs('receiver', 'people'),
      async (t) => {
        const { app, endpoint } = await openWithEndpoint(t, instance(), inOrder('sms'))
        const recipient = newPhone()
        await instance().simulator.behave(recipient, 'sms', outcome)
        const { otpId } = started(await app.server.send({ recipient }))
        const { id, payload } = await endpoint.event(`delivery.${status}`, otpId)
        assert.match(id, /^evt_./)
        const { delivery_id: deliveryId, ...others } = payload
        assert.deepEqual(others, { otp_id: otpId, status })
        assert.ok(string(deliveryId))
      },
    )
  }

  test('6.2 every event has an id of its own', needs('receiver', 'people'), async (t) => {
    const { app, endpoint } = await openWithEndpoint(t, instance())
    const otpId = await approve(instance(), app, 'email')
    const [one, other] = [
      await endpoint.event('otp.approved', otpId),
      await endpoint.event('delivery.delivered', otpId),
    ]
    assert.notEqual(one.id, other.id)
  })
})

describe('6.3 Signature', { concurrency: 4 }, () => {
  async function receiveOne(t: TestContext): Promise<{ request: ReceivedRequest; endpoint: Endpoint }> {
    const { app, endpoint } = await openWithEndpoint(t, instance())
    const [request] = await endpoint.requests('otp.approved', await approve(instance(), app, 'email'))
    assert.ok(request)
    return { request, endpoint }
  }

  test('6 an event is an HTTP POST of JSON', needs('receiver', 'people'), async (t) => {
    const { request } = await receiveOne(t)
    assert.equal(request.method, 'POST')
    assert.match(string(request.headers['content-type']), /^application\/json\b/)
  })

  test(
    '6.3 X-Webhook-Signature is the hex HMAC-SHA256 of {timestamp}.{rawBody} with the signing secret',
    needs('receiver', 'people'),
    async (t) => {
      const { request, endpoint } = await receiveOne(t)
      assert.match(headerOf(request, 'X-Webhook-Signature'), /^[0-9a-f]{64}$/)
      assert.ok(isGenuine(request, endpoint.secret))
    },
  )

  test('6.3 X-Webhook-Timestamp is the Unix timestamp of now', needs('receiver', 'people'), async (t) => {
    const { request } = await receiveOne(t)
    const timestamp = headerOf(request, 'X-Webhook-Timestamp')
    assert.match(timestamp, /^\d+$/)
    assert.ok(Math.abs(Number(timestamp) - request.receivedAtMs / 1_000) < clocksMayDifferS)
  })

  test(
    '6.3 the signature does not fit another body or another secret',
    needs('receiver', 'people'),
    async (t) => {
      const { request, endpoint } = await receiveOne(t)
      const changed = Buffer.from(request.rawBody.toString().replace('approved', 'Approved'))
      assert.ok(!isGenuine(request, endpoint.secret, changed))
      assert.ok(!isGenuine(request, `${endpoint.secret}x`))
    },
  )
})
