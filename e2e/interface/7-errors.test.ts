import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../harness/wait.ts'
import { clientOf, createApp, createKey, openApp, started, unhurried, verifyOnDevice } from './app.ts'
import { accepted, call, refused } from './calls.ts'
import { addressListedAs, needs, useInstance } from './instance.ts'
import { newEmail, newPhone } from './people.ts'

const instance = useInstance()
const mostSends = 400
const off = { enabled: false }
/** Long enough for two calls on a busy machine. */
const fewSeconds = 10

describe('7.1 Send', { concurrency: 4 }, () => {
  test(
    '7.1 422 InvalidRecipientError: the recipient is neither a number nor an address',
    needs('app'),
    async () => {
      const { server } = await openApp(instance())
      refused(await server.send({ recipient: 'somebody' }), 422, 'InvalidRecipientError')
    },
  )

  test(
    '7.1 409 NoEnabledChannelError: the channels that are enabled do not reach the recipient',
    needs('settings'),
    async () => {
      const mail = await createApp(instance(), { channels: { sms: off, whatsapp: off, telegram: off } })
      refused(await mail.server.send({ recipient: newPhone() }), 409, 'NoEnabledChannelError')
      started(await mail.server.send({ recipient: newEmail() }))
      const phones = await createApp(instance(), { channels: { email: off } })
      refused(await phones.server.send({ recipient: newEmail() }), 409, 'NoEnabledChannelError')
    },
  )

  test('7.1 409 NoEnabledChannelError: no channel is enabled at all', needs('settings'), async () => {
    const channels = { sms: off, whatsapp: off, telegram: off, email: off }
    const { server } = await createApp(instance(), { channels })
    for (const recipient of [newPhone(), newEmail()]) {
      refused(await server.send({ recipient }), 409, 'NoEnabledChannelError')
    }
  })

  test(
    '7.1 403 GeoBlockedError: the country of the recipient is blocked, and no other',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance(), { geo: { mode: 'block', countries: ['DE'] } })
      refused(await server.send({ recipient: newPhone() }), 403, 'GeoBlockedError')
      started(await server.send({ recipient: '+447400123456' }))
    },
  )

  test(
    '7.1 402 InsufficientFundsError: the balance is not enough, until it is',
    needs('settings'),
    async () => {
      const { server, companyId, manage } = await createApp(instance(), {}, { balance: '0' })
      const recipient = newPhone()
      refused(await server.send({ recipient }), 402, 'InsufficientFundsError')
      await manage('POST', `/companies/${companyId}/credits`, { amount: '10', note: 'test' })
      started(await server.send({ recipient }))
    },
  )

  test(
    '7.1 403 IpReputationBlockedError: client_ip is a known abuse source',
    needs('settings', 'abusive'),
    async () => {
      const { server } = await createApp(instance())
      const clientIp = addressListedAs('abusive')
      const answer = await server.send({ recipient: newEmail(), client_ip: clientIp })
      refused(answer, 403, 'IpReputationBlockedError')
    },
  )

  test(
    '7.1 429 RateLimitExceededError: too many for this recipient, and the message names the scope',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance(), { limits: { recipient: [{ max: 2, window_s: 600 }] } })
      const recipient = newPhone()
      for (let count = 0; count < 2; count++) started(await server.send({ recipient }))
      const { message } = refused(await server.send({ recipient }), 429, 'RateLimitExceededError')
      assert.match(message, /recipient/i)
      started(await server.send({ recipient: newPhone() }))
    },
  )

  test(
    '7.1 429 RateLimitExceededError: too many without a usable client_ip, and the message names the scope',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance(), {
        limits: { app_without_ip: [{ max: 2, window_s: 600 }] },
      })
      for (let count = 0; count < 2; count++) started(await server.send({ recipient: newPhone() }))
      const answer = await server.send({ recipient: newPhone() })
      const { message } = refused(answer, 429, 'RateLimitExceededError')
      assert.match(message, /client_ip|without.*ip/i)
    },
  )

  test('7.1 422 InvalidIdempotencyKeyError: the key has more than 128 characters', needs('app'), async () => {
    const { server } = await openApp(instance())
    const answer = await server.send({ recipient: newEmail() }, { 'idempotency-key': 'k'.repeat(129) })
    refused(answer, 422, 'InvalidIdempotencyKeyError')
  })

  test('7.1 422: client_ip is malformed', needs('app'), async () => {
    const { server } = await openApp(instance())
    refused(await server.send({ recipient: newEmail(), client_ip: '1.2.3' }), 422, 'ValidationError')
  })
})

describe('7.2 Resend', { concurrency: 4 }, () => {
  test('7.2 409 ResendNotAllowedError: the send attempts are spent', needs('settings'), async () => {
    const { server } = await createApp(instance(), { ...unhurried, max_sends: 2 })
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    started(await server.resend({ otp_id: otpId }))
    refused(await server.resend({ otp_id: otpId }), 409, 'ResendNotAllowedError')
    refused(await server.resend({ otp_id: otpId, channel: 'sms' }), 409, 'ResendNotAllowedError')
  })

  test(
    '7.2 409 ResendNotAllowedError: no enabled channel is left for the recipient',
    needs('settings'),
    async () => {
      const { server, appId, manage } = await createApp(instance(), unhurried)
      const { otpId } = started(await server.send({ recipient: newPhone() }))
      await manage('PATCH', `/apps/${appId}`, { channels: { sms: off, whatsapp: off, telegram: off } })
      await eventually(
        'the change is in force',
        () => server.send({ recipient: newPhone() }),
        ({ status }) => status === 409,
      )
      refused(await server.resend({ otp_id: otpId }), 409, 'ResendNotAllowedError')
      refused(await server.resend({ otp_id: otpId, channel: 'sms' }), 409, 'ResendNotAllowedError')
    },
  )

  test('7.2 429 ResendCooldownError: Retry-After carries the seconds left', needs('settings'), async () => {
    const { server } = await createApp(instance(), { resend_cooldown_s: fewSeconds })
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    const early = await server.resend({ otp_id: otpId })
    const refusedAtMs = performance.now()
    refused(early, 429, 'ResendCooldownError')
    const retryAfter = early.headers.get('retry-after') ?? ''
    assert.match(retryAfter, /^[1-9]\d*$/)
    assert.ok(Number(retryAfter) <= fewSeconds, `${retryAfter} of ${fewSeconds} s`)
    await eventually(
      'the wait is over',
      () => performance.now() - refusedAtMs,
      (waitedMs) => waitedMs >= Number(retryAfter) * 1_000,
    )
    started(await server.resend({ otp_id: otpId }))
    refused(await server.resend({ otp_id: otpId }), 429, 'ResendCooldownError')
  })
})

describe('7.3 Exchange', { concurrency: 4 }, () => {
  const token = `otp_vt_${'a'.repeat(40)}`
  const exchange = (request: Parameters<typeof call>[1]) =>
    call(`${instance().url}/api/v1/verifications/exchange`, request)

  test('7.3 401 HTTPException: missing, invalid, revoked or publishable key', needs('settings'), async () => {
    const app = await createApp(instance())
    const { key, keyId } = await createKey(app, 'server')
    refused(await clientOf(instance().url, key).exchange(token), 404, 'HTTPException')
    await app.manage('DELETE', `/keys/${keyId}`)
    const revoked = await eventually(
      'the key is revoked everywhere',
      () => exchange({ key, body: { verification_token: token } }),
      ({ status }) => status !== 404,
    )
    refused(revoked, 401, 'HTTPException')
    for (const other of [null, 'nonsense', app.device.key]) {
      refused(await exchange({ key: other, body: { verification_token: token } }), 401, 'HTTPException')
    }
  })

  test(
    '7.3 404 HTTPException: unknown, already exchanged, or not owned',
    needs('settings', 'people'),
    async () => {
      const [app, stranger] = [await createApp(instance()), await createApp(instance())]
      const second = clientOf(instance().url, (await createKey(app, 'server')).key)
      const { token: taken } = await verifyOnDevice(instance(), app, newEmail(), 'email')
      refused(await stranger.server.exchange(taken), 404, 'HTTPException')
      accepted(await app.server.exchange(taken))
      refused(await second.exchange(taken), 404, 'HTTPException')
      refused(await app.server.exchange(token), 404, 'HTTPException')
    },
  )

  const json = { 'content-type': 'application/json' }
  const bodies = {
    'no body': {},
    'no body, said to be JSON': { headers: json },
    'an empty body': { rawBody: '', headers: json },
    'broken JSON': { rawBody: '{"verification_token":', headers: json },
    'broken JSON without a Content-Type': { rawBody: 'verification_token' },
    'an empty object': { body: {} },
    null: { body: null },
    'a list': { body: [] },
    'a string': { body: token },
    'a token that is null': { body: { verification_token: null } },
    'a token that is no string': { body: { verification_token: 5 } },
    'a token of another kind': { body: { verification_token: 'otp_sk_1' } },
    'a token of 129 characters': { body: { verification_token: `otp_vt_${'a'.repeat(122)}` } },
  }
  for (const [what, request] of Object.entries(bodies)) {
    test(`7.3 422 ValidationError: ${what}`, needs('app'), async () => {
      const { server } = await openApp(instance())
      refused(await exchange({ key: server.key, ...request }), 422, 'ValidationError')
    })
  }
})

describe('7 The limits that an app has by itself', { concurrency: 4 }, () => {
  test(
    '7.1 429 RateLimitExceededError: an app with default settings limits a recipient',
    needs('app'),
    async () => {
      const { server } = await openApp(instance())
      const recipient = newEmail()
      let answer = await server.send({ recipient })
      for (let count = 0; count < mostSends && answer.status === 200; count++) {
        answer = await server.send({ recipient })
      }
      assert.match(refused(answer, 429, 'RateLimitExceededError').message, /recipient/i)
    },
  )

  test('7.2 429 ResendCooldownError: an app with default settings has a cooldown', needs('app'), async () => {
    const { server } = await openApp(instance())
    const { otpId } = started(await server.send({ recipient: newEmail() }))
    const answer = await server.resend({ otp_id: otpId })
    refused(answer, 429, 'ResendCooldownError')
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  })
})
