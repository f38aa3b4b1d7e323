import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../harness/wait.ts'
import {
  type App,
  codeOf,
  createApp,
  openApp,
  started,
  statusOf,
  unhurried,
  verifyOnDevice,
  wrongCode,
} from './app.ts'
import { type Answer, accepted, refused } from './calls.ts'
import { addressListedAs, needs, useInstance } from './instance.ts'
import { newAddress, newEmail } from './people.ts'

const instance = useInstance()
const most = 400

/** The first answer other than 200, and the number of those before it. */
async function repeat(attempt: () => Promise<Answer>) {
  for (let passed = 0; passed < most; passed++) {
    const answer = await attempt()
    if (answer.status !== 200) return { passed, answer }
  }
  return assert.fail(`${most} calls passed`)
}

const sender =
  ({ server }: App) =>
  (clientIp?: string, recipient = newEmail()) =>
    server.send({ recipient, ...(clientIp === undefined ? {} : { client_ip: clientIp }) })

describe('8 Limits', { concurrency: 4 }, () => {
  test('8 idempotency-key: 128 characters pass, 129 do not', needs('app'), async () => {
    const { server } = await openApp(instance())
    const unique = newEmail()
    const keyOf = (length: number) => ({ 'idempotency-key': unique.padEnd(length, '0') })
    started(await server.send({ recipient: newEmail() }, keyOf(128)))
    refused(await server.send({ recipient: newEmail() }, keyOf(129)), 422, 'InvalidIdempotencyKeyError')
  })

  test('8 verification_token: 128 characters pass, 129 do not', needs('app'), async () => {
    const { server } = await openApp(instance())
    refused(await server.exchange('otp_vt_'.padEnd(128, 'z')), 404, 'HTTPException')
    refused(await server.exchange('otp_vt_'.padEnd(129, 'z')), 422, 'ValidationError')
  })

  test(
    '8 a recipient has a rate limit on send, wherever the requests come from',
    needs('settings'),
    async () => {
      const send = sender(await createApp(instance()))
      const recipient = newEmail()
      const { answer } = await repeat(() => send(newAddress(), recipient))
      assert.match(refused(answer, 429, 'RateLimitExceededError').message, /recipient/i)
      started(await send(newAddress()))
    },
  )

  test(
    '8 requests without a usable client_ip have a limit that the app shares, tighter than that with one',
    needs('settings'),
    async () => {
      const app = await createApp(instance())
      const send = sender(app)
      const { passed, answer } = await repeat(() => send())
      assert.match(refused(answer, 429, 'RateLimitExceededError').message, /client_ip|without.*ip/i)
      for (let count = 0; count <= passed; count++) started(await send(newAddress()))
    },
  )

  test(
    '8 the limit of a recipient is one on send: a resend is not held to it',
    needs('settings'),
    async () => {
      const limits = { recipient: [{ max: 1, window_s: 600 }] }
      const { server } = await createApp(instance(), { ...unhurried, limits })
      const recipient = newEmail()
      const { otpId } = started(await server.send({ recipient }))
      refused(await server.send({ recipient }), 429, 'RateLimitExceededError')
      started(await server.resend({ otp_id: otpId }))
    },
  )

  test('8 a resend has a cooldown', needs('app'), async () => {
    const { server } = await openApp(instance())
    const { otpId } = started(await server.send({ recipient: newEmail() }))
    refused(await server.resend({ otp_id: otpId }), 429, 'ResendCooldownError')
  })

  test('8 an OTP has so many send attempts', needs('settings'), async () => {
    const { resend_cooldown_s, limits } = unhurried
    const { server } = await createApp(instance(), { resend_cooldown_s, limits })
    const { otpId } = started(await server.send({ recipient: newEmail() }))
    const { answer } = await repeat(() => server.resend({ otp_id: otpId }))
    refused(answer, 409, 'ResendNotAllowedError')
  })

  test(
    '8 an OTP has so many verify attempts, also when all come at once',
    needs('app', 'people'),
    async () => {
      const app = await openApp(instance())
      const recipient = newEmail()
      const { otpId } = started(await app.server.send({ recipient }))
      const code = await codeOf(instance(), recipient, 'email')
      await Promise.all(Array.from({ length: 40 }, () => app.server.verify(otpId, wrongCode(code))))
      await app.server.verify(otpId, code)
      assert.ok(!['pending', 'approved'].includes(String(await statusOf(app, otpId))))
    },
  )

  test('8 a verification token is short-lived', needs('settings', 'people'), async () => {
    const app = await createApp(instance(), { token_ttl_s: 60 })
    const { token } = await verifyOnDevice(instance(), app, newEmail(), 'email')
    const startedAtMs = performance.now()
    accepted(await app.server.exchange(token))
    const answer = await eventually(
      'the token has expired',
      () => app.server.exchange(token),
      ({ status }) => status !== 200,
      120_000,
    )
    refused(answer, 404, 'HTTPException')
    assert.ok(performance.now() - startedAtMs > 30_000, 'it lived for a while')
  })

  for (const kind of ['vpn', 'proxy', 'tor', 'datacenter'] as const) {
    test(`8 throttling by address applies to ${kind}`, needs('settings', kind), async () => {
      const send = sender(await createApp(instance()))
      const { passed, answer } = await repeat(() => send(addressListedAs(kind)))
      refused(answer, 429, 'RateLimitExceededError')
      assert.ok(passed >= 1)
    })
  }
})
