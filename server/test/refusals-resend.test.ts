/** Every refusal of a resend. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, resend, started, verify } from './harness/fixtures.ts'
import { assertRefusal, assertWait, field, startRefusing, unknownOtp, usableIp } from './refusals-support.ts'
import { ageVerification } from './resend-support.ts'

const { database, node, tenant, close } = await startRefusing()
after(close)

describe('refusals', () => {
  describe('of resend', () => {
    it('ResendCooldownError carries the seconds left, everywhere alike', async () => {
      const { serverKey } = await createTenant(node, { resend_cooldown_s: 100 })
      const { otpId } = await started(node, serverKey)
      assertWait(await resend(node, serverKey, otpId), 'ResendCooldownError', 'cooldown', 100)
      assertWait(await resend(node, serverKey, otpId, 'telegram'), 'ResendCooldownError', 'cooldown', 100)
    })

    it('ResendCooldownError says a wait after which the resend goes through', async () => {
      const { serverKey } = await createTenant(node, { resend_cooldown_s: 100 })
      const { otpId } = await started(node, serverKey)
      const refused = await resend(node, serverKey, otpId)
      assertWait(refused, 'ResendCooldownError', 'cooldown', 100)
      await ageVerification(database, otpId, Number(refused.headers.get('retry-after')))
      assert.equal((await resend(node, serverKey, otpId)).status, 200)
    })

    it('ResendNotAllowedError says that the send attempts are spent, and how many there were', async () => {
      const { serverKey } = await createTenant(node, { max_sends: 2 })
      const { otpId } = await started(node, serverKey)
      assert.equal((await resend(node, serverKey, otpId)).status, 200)
      assertRefusal(await resend(node, serverKey, otpId), {
        status: 409,
        type: 'ResendNotAllowedError',
        message: /\b2 send attempts\b/,
      })
    })

    it('ResendNotAllowedError names the channel that cannot be used, and why', async () => {
      const { serverKey } = await createTenant(node, { channels: { telegram: { enabled: false } } })
      const { otpId } = await started(node, serverKey)
      assertRefusal(await resend(node, serverKey, otpId, 'telegram'), {
        status: 409,
        type: 'ResendNotAllowedError',
        message: /telegram.*not enabled/,
      })
      assertRefusal(await resend(node, serverKey, otpId, 'email'), {
        status: 409,
        type: 'ResendNotAllowedError',
        message: /email.*does not reach phone numbers/,
      })
    })

    it('ResendNotAllowedError also says that no channel is left', async () => {
      const { serverKey, appId } = await createTenant(node, { routing: { default: ['sms'] } })
      const { otpId } = await started(node, serverKey)
      await node.manage('PATCH', `/apps/${appId}`, {
        routing: { default: ['email'] },
        channels: { sms: { enabled: false } },
      })
      assertRefusal(await resend(node, serverKey, otpId), {
        status: 409,
        type: 'ResendNotAllowedError',
        message: /No enabled channel is left/,
      })
    })

    it('OtpNotFoundError is for an unknown id, a malformed one, and one of another app', async () => {
      const stranger = await createTenant(node)
      const { otpId } = await started(node, tenant.serverKey)
      const bodies = []
      for (const id of [unknownOtp, 'otp_x', 'x', '\0', 'otp_\0', otpId]) {
        const answer = await resend(node, stranger.serverKey, id)
        assertRefusal(answer, { status: 404, type: 'OtpNotFoundError', message: /no such verification/ })
        bodies.push(answer.body.error)
      }
      assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1)
    })

    it('OtpNotPendingError names the state of a verification that is over', async () => {
      const approved = await started(node, tenant.serverKey)
      assert.equal((await verify(node, tenant.serverKey, approved.otpId, approved.code)).body.matched, true)
      assertRefusal(await resend(node, tenant.serverKey, approved.otpId), {
        status: 409,
        type: 'OtpNotPendingError',
        message: /approved/,
        details: { otp_status: 'approved' },
      })
    })

    it('the refusals of send stand for resend too: country, address, limits, balance', async () => {
      const { serverKey, appId, companyId } = await createTenant(
        node,
        { limits: { app: [{ max: 1, window_s: 600 }], app_without_ip: [{ max: 1, window_s: 1_200 }] } },
        { balance: '0.07' },
      )
      const { otpId } = await started(node, serverKey)
      assertWait(await resend(node, serverKey, otpId), 'RateLimitExceededError', 'app', 600)
      await node.manage('PATCH', `/apps/${appId}`, { limits: { app: [{ max: 900, window_s: 60 }] } })
      await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
      assertRefusal(await resend(node, serverKey, otpId), {
        status: 403,
        type: 'GeoBlockedError',
        message: /GB/,
        details: { country: 'GB' },
      })
      await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: [] } })
      assert.equal((await resend(node, serverKey, otpId, 'whatsapp')).status, 200)
      assertRefusal(await resend(node, serverKey, otpId, 'sms'), {
        status: 402,
        type: 'InsufficientFundsError',
        message: /0\.050000/,
        details: { price: '0.050000' },
      })
      assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '0.000000')
    })

    it('a body that is not as documented is a ValidationError that names the field', async () => {
      const call = (body: unknown) => node.call('POST', '/api/v1/otp/resend', { key: tenant.serverKey, body })
      field('otp_id', /is required|of type string/)(await call({}))
      field('otp_id', /is required|of type string/)(await call({ otp_id: 5 }))
      field('otp_id', /./)(await call({ otp_id: '' }))
      field('otp_id', /./)(await call({ otp_id: 'x'.repeat(65) }))
      field('channel', /sms.*whatsapp.*telegram.*email/)(await call({ otp_id: unknownOtp, channel: 'fax' }))
      field('channel', /./)(await call({ otp_id: unknownOtp, channel: 5 }))
      field('client_ip', /not a field/)(await call({ otp_id: unknownOtp, client_ip: usableIp }))
    })
  })
})
