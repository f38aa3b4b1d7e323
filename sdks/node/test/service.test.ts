/** The package against the service itself, started as a user starts it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newEmail, newPhone, newRecipient } from '../../../e2e/harness/people.ts'
import { openReceiver } from '../../../e2e/harness/receiver.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { channels, codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import * as sdk from '../src/index.ts'
import { Countersign, webhooks } from '../src/index.ts'
import { verifyOnDevice } from './device.ts'

const service = useService()

async function newClient(settings: Record<string, unknown> = {}) {
  const app = await service().createApp(settings)
  return { app, client: new Countersign(app.key, { baseUrl: service().running.url }) }
}

/** A client of a company without funds. */
async function createPoorClient(): Promise<Countersign> {
  const { caller, running } = service()
  const create = async (path: string, body: unknown) =>
    (
      await caller.call<Record<string, string>>('POST', `/manage/v1${path}`, {
        key: running.adminToken,
        body,
      })
    ).body
  const { company_id: companyId } = await create('/companies', { name: 'Poor' })
  const { app_id: appId } = await create(`/companies/${companyId}/apps`, { name: 'App' })
  const { key = '' } = await create(`/apps/${appId}/keys`, { kind: 'server' })
  return new Countersign(key, { baseUrl: running.url })
}

describe('calls', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`${channel}: a wrong code is a result, the right one approves, also when it is sent twice`, async () => {
      const { client } = await newClient({ routing: { default: [channel] } })
      const recipient = newRecipient(channel)
      const sent = await client.otp.send({ recipient, locale: 'en', clientIp: '81.2.69.142' })
      assert.deepEqual(
        [sent.status, sent.channel, sent.completion, sent.actionUrl],
        ['pending', channel, 'code', null],
      )
      const { text } = await service().simulator.arrived(recipient, channel)
      const code = codeIn(text)
      const wrong = await client.otp.verify({
        otpId: sent.otpId,
        code: code === '000000' ? '000001' : '000000',
      })
      assert.deepEqual([wrong.matched, wrong.status, wrong.attemptsRemaining], [false, 'pending', 4])
      const right = await client.otp.verify({ otpId: sent.otpId, code })
      assert.deepEqual([right.matched, right.status, right.verificationToken], [true, 'approved', null])
      assert.deepEqual(await client.otp.verify({ otpId: sent.otpId, code }), right)
      const { status, recipientType, deliveries } = await client.otp.get(sent.otpId)
      assert.deepEqual([status, recipientType], ['approved', channel === 'email' ? 'email' : 'phone'])
      assert.equal(deliveries[0]?.channel, channel)
      assert.match(deliveries[0]?.deliveryId ?? '', /^dlv_/)
    })
  }

  test('one idempotency key is one verification', async () => {
    const { client } = await newClient()
    const options = { idempotencyKey: `form-${newPhone()}` }
    const recipient = newPhone()
    const sends = Array.from({ length: 10 }, () => client.otp.send({ recipient }, options))
    assert.equal(new Set((await Promise.all(sends)).map(({ otpId }) => otpId)).size, 1)
  })

  test('resend moves on, and decisions tell both', async () => {
    const { client } = await newClient({ routing: { default: ['sms', 'telegram'] } })
    const { otpId } = await client.otp.send({ recipient: newPhone() })
    assert.equal((await client.otp.resend({ otpId })).channel, 'telegram')
    assert.equal((await client.otp.resend({ otpId, channel: 'sms' })).channel, 'sms')
    const { decisions } = await client.otp.decision(otpId)
    assert.deepEqual(
      decisions.map(({ kind }) => kind),
      ['send', 'resend', 'resend'],
    )
    assert.equal(decisions[0]?.rules[0]?.rule, 'recipient')
  })

  test('preview says what a send would do, or why it would not', async () => {
    const { client } = await newClient({ geo: { mode: 'block', countries: ['GB'] } })
    const blocked = await client.routing.preview({ recipient: newPhone() })
    assert.ok('error' in blocked)
    assert.equal(blocked.error.type, 'GeoBlockedError')
    const open = await client.routing.preview({ recipient: newEmail(), clientIp: '81.2.69.142' })
    assert.ok('channel' in open)
    assert.deepEqual([open.channel, open.order, open.price], ['email', ['email'], '0.001000'])
  })

  test('a token is proof for the key that brings it, as often as it asks', async () => {
    const { app, client } = await newClient({ routing: { default: ['sms'] } })
    const recipient = newPhone()
    const verificationToken = await verifyOnDevice(service(), app, recipient)
    const proven = await client.verifications.exchange(verificationToken)
    assert.deepEqual([proven.recipient, proven.recipientType, proven.channel], [recipient, 'phone', 'sms'])
    assert.deepEqual(await client.verifications.exchange(verificationToken), proven)
    const { client: stranger } = await newClient()
    await assert.rejects(stranger.verifications.exchange(verificationToken), sdk.TokenNotFoundError)
    await assert.rejects(client.verifications.exchange('otp_vt_unknown'), sdk.TokenNotFoundError)
    await assert.rejects(client.verifications.exchange('unknown'), sdk.ValidationError)
  })
})

describe('refusals', { concurrency: 4 }, () => {
  test('each is an error of its own class, with what helps to decide', async () => {
    const { client } = await newClient({ resend_cooldown_s: 600, routing: { default: ['sms'] } })
    const { otp } = client
    const recipient = newPhone()
    await rejects(otp.send({ recipient: '12' }), sdk.InvalidRecipientError)
    const malformed = await rejects(otp.send({ recipient, clientIp: 'here' }), sdk.ValidationError)
    assert.equal(malformed.fields[0]?.path, 'client_ip')
    const longKey = await rejects(
      otp.send({ recipient }, { idempotencyKey: 'k'.repeat(129) }),
      sdk.ValidationError,
    )
    assert.equal(longKey.fields[0]?.path, 'idempotency-key')
    await rejects(otp.send({ recipient: newEmail() }), sdk.NoEnabledChannelError)
    await rejects(otp.get('otp_unknown'), sdk.OtpNotFoundError)

    const { otpId } = await otp.send({ recipient })
    const cooldown = await rejects(otp.resend({ otpId }), sdk.ResendCooldownError)
    assert.ok(cooldown.retryAfter > 500 && cooldown.retryAfter <= 600)
    assert.match(cooldown.requestId, /^req_/)

    const { text } = await service().simulator.arrived(recipient, 'sms')
    for (let guess = 0; guess < 5; guess++)
      await otp.verify({
        otpId,
        code: codeIn(text).replace(/./g, (digit) => String((Number(digit) + 1) % 10)),
      })
    const over = await rejects(otp.verify({ otpId, code: codeIn(text) }), sdk.OtpNotPendingError)
    assert.equal(over.otpStatus, 'failed')
  })

  test('limits, channels, countries and keys', async () => {
    const limits = { recipient: [{ max: 1, window_s: 600 }] }
    const { client: limited } = await newClient({ limits })
    const recipient = newPhone()
    await limited.otp.send({ recipient })
    const limit = await rejects(limited.otp.send({ recipient }), sdk.RateLimitError)
    assert.equal(limit.scope, 'recipient')
    assert.ok(limit.retryAfter > 500 && limit.retryAfter <= 600)

    const { client: smsOnly } = await newClient({ routing: { default: ['sms'] } })
    const pending = await smsOnly.otp.send({ recipient: newPhone() })
    await rejects(smsOnly.otp.resend({ otpId: pending.otpId, channel: 'email' }), sdk.ResendNotAllowedError)

    const { client: local } = await newClient({ geo: { mode: 'allow', countries: ['FR'] } })
    await rejects(local.otp.send({ recipient: newPhone() }), sdk.GeoBlockedError)

    const { client: inbound } = await newClient({
      routing: { default: ['whatsapp'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
    })
    const { otpId, actionUrl } = await inbound.otp.send({ recipient: newPhone() })
    assert.match(actionUrl ?? '', /^https:\/\/wa\.me\//)
    await rejects(inbound.otp.verify({ otpId, code: '123456' }), sdk.CodeNotExpectedError)

    const poor = await createPoorClient()
    await rejects(poor.otp.send({ recipient: newPhone() }), sdk.InsufficientFundsError)

    const nobody = new Countersign('otp_sk_unknown', { baseUrl: service().running.url })
    await rejects(nobody.otp.get(otpId), sdk.AuthenticationError)
  })
})

test('events of the service are verified, with the old secret and the new one after a rotation', async () => {
  const { running, caller, simulator } = service()
  const { app, client } = await newClient({ routing: { default: ['sms'] } })
  const receiver = await openReceiver()
  try {
    const secret = await app.sendEventsTo(receiver.url)
    const path = `/manage/v1/apps/${app.appId}/webhook/rotate-secret`
    const rotated = await caller.call<{ signing_secret: string }>('POST', path, { key: running.adminToken })
    assert.notEqual(rotated.body.signing_secret, secret)

    const recipient = newPhone()
    const { otpId } = await client.otp.send({ recipient })
    const { text } = await simulator.arrived(recipient, 'sms')
    await app.delivery(otpId, 'delivered')
    await client.otp.verify({ otpId, code: codeIn(text) })
    const { received } = receiver
    await eventually(
      'two events',
      () => received.length,
      (count) => count >= 2,
    )
    const readWith = (held: string) =>
      Promise.all(received.map(({ rawBody, headers }) => webhooks.verify(rawBody, headers, held)))
    const events = await readWith(secret)
    assert.deepEqual(await readWith(rotated.body.signing_secret), events)
    const seen = new Map(events.map((event) => [event.type, event.payload]))
    assert.deepEqual(seen.get('otp.approved'), { otpId, status: 'approved' })
    assert.equal(seen.get('delivery.delivered')?.otpId, otpId)
  } finally {
    receiver.close()
  }
})

async function rejects<Failure extends Error>(
  call: Promise<unknown>,
  Class: abstract new (...args: never[]) => Failure,
): Promise<Failure> {
  const error = await call.then(
    () => assert.fail(`${Class.name} was expected`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Class, String(error))
  return error
}
