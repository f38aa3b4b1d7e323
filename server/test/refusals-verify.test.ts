/** Every refusal of verify, of the lookups and of the exchange. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createKey,
  createTenant,
  freshPhone,
  send,
  started,
  status,
  type Tenant,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { assertRefusal, field, startRefusing, unknownOtp } from './refusals-support.ts'

const { database, node, tenant, exchange, close } = await startRefusing()
after(close)

describe('refusals', () => {
  describe('of verify', () => {
    it('OtpNotFoundError is for an unknown id, a malformed one, and one of another app', async () => {
      const stranger = await createTenant(node)
      const { otpId, code } = await started(node, tenant.serverKey)
      for (const id of [unknownOtp, 'x', otpId]) {
        const answer = await verify(node, stranger.serverKey, id, code)
        assertRefusal(answer, { status: 404, type: 'OtpNotFoundError', message: /no such verification/ })
      }
    })

    it('OtpNotPendingError names each final state', async () => {
      const { serverKey } = await createTenant(node, { max_verify_attempts: 1 })
      const refused = async (otpId: string, code: string, otpStatus: string) =>
        assertRefusal(await verify(node, serverKey, otpId, code), {
          status: 409,
          type: 'OtpNotPendingError',
          message: new RegExp(otpStatus),
          details: { otp_status: otpStatus },
        })
      const failed = await started(node, serverKey)
      assert.equal(
        (await verify(node, serverKey, failed.otpId, wrongCode(failed.code))).body.status,
        'failed',
      )
      await refused(failed.otpId, failed.code, 'failed')

      const approved = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, approved.otpId, approved.code)).body.status, 'approved')
      await refused(approved.otpId, wrongCode(approved.code), 'approved')

      const expired = await started(node, serverKey)
      await database.query('update verifications set expires_at = now() where otp_id = $1', [expired.otpId])
      await refused(expired.otpId, expired.code, 'expired')
      assert.equal((await status(node, serverKey, expired.otpId)).body.status, 'expired')
    })

    it('CodeNotExpectedError is for a verification that a message finishes, while it is pending', async () => {
      const { serverKey } = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      assert.equal(body.completion, 'inbound')
      // It has no code, so none has too few digits.
      const codes = ['123456', '1234']
      for (const code of codes)
        assertRefusal(await verify(node, serverKey, body.otp_id, code), {
          status: 409,
          type: 'CodeNotExpectedError',
          message: /WhatsApp/,
        })
      await database.query('update verifications set expires_at = now() where otp_id = $1', [body.otp_id])
      for (const code of codes)
        assertRefusal(await verify(node, serverKey, body.otp_id, code), {
          status: 409,
          type: 'OtpNotPendingError',
          message: /expired/,
          details: { otp_status: 'expired' },
        })
    })

    const badCodes: Readonly<Record<string, unknown>> = {
      'a number': 123456,
      missing: undefined,
      null: null,
      'a list': ['123456'],
      empty: '',
      'three digits': '123',
      'nine digits': '123456789',
      letters: '12345a',
      spaces: '123 456',
      'a space at the end': '123456 ',
      'a line break at the end': '123456\n',
      'full-width digits': '１２３４５６',
      'a NUL': '12345\0',
      'ten thousand digits': '1'.repeat(10_000),
    }
    for (const [name, code] of Object.entries(badCodes)) {
      it(`a code that is ${name} is a ValidationError, and spends no attempt`, async () => {
        const { otpId } = await started(node, tenant.serverKey)
        field('code', /./)(await verify(node, tenant.serverKey, otpId, code))
        assert.equal((await status(node, tenant.serverKey, otpId)).body.attempts_remaining, 5)
      })
    }

    it('a code of another length than this verification’s is a ValidationError that says the length', async () => {
      const { otpId } = await started(node, tenant.serverKey)
      for (const code of ['1234', '12345', '1234567', '12345678']) {
        field('code', /6 digits/)(await verify(node, tenant.serverKey, otpId, code))
      }
      assert.equal((await status(node, tenant.serverKey, otpId)).body.attempts_remaining, 5)
    })
  })

  describe('of the lookups', () => {
    it('OtpNotFoundError is one answer for unknown, malformed and foreign ids', async () => {
      const stranger = await createTenant(node)
      const { otpId } = await started(node, tenant.serverKey)
      for (const id of [unknownOtp, 'x', '%00', '%F0%9F%92%A9', otpId]) {
        for (const suffix of ['', '/decision']) {
          const answer = await node.call('GET', `/api/v1/otp/${id}${suffix}`, { key: stranger.serverKey })
          assertRefusal(answer, {
            status: 404,
            type: 'OtpNotFoundError',
            message: /^There is no such verification\.$/,
          })
        }
      }
    })

    it('a preview answers a refusal as data, with the body that a send would have had', async () => {
      const { serverKey } = await createTenant(node, { geo: { countries: ['GB'] } })
      const recipient = freshPhone()
      const preview = await node.call('POST', '/api/v1/routing/preview', {
        key: serverKey,
        body: { recipient },
      })
      const sent = await send(node, serverKey, { recipient })
      assert.equal(preview.status, 200)
      assert.deepEqual(preview.body.error, sent.body.error)
      assert.equal(preview.body.decision.at(-1).outcome, 'refuse')
    })

    it('a preview’s own body is validated', async () => {
      const preview = (body: unknown) =>
        node.call('POST', '/api/v1/routing/preview', { key: tenant.serverKey, body })
      field('recipient', /is required|of type string/)(await preview({}))
      field('client_ip', /IPv4 or IPv6/)(await preview({ recipient: freshPhone(), client_ip: 'x' }))
      field('locale', /not a field/)(await preview({ recipient: freshPhone(), locale: 'en' }))
    })
  })

  describe('of the exchange', () => {
    const unknownToken = `otp_vt_${'0'.repeat(52)}`
    const tokenOf = async (of: Tenant) => {
      const { otpId, code } = await started(node, of.publishableKey)
      return (await verify(node, of.publishableKey, otpId, code)).body.verification_token as string
    }
    const notFound = { status: 404, type: 'HTTPException', message: /no such verification token/ }

    it('401 is one answer for a key that is missing, invalid, revoked, publishable or malformed', async () => {
      const { appId } = tenant
      const made = await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server' })
      assert.equal((await node.manage('DELETE', `/keys/${made.body.key_id}`)).status, 200)
      const messages = new Set<string>()
      const invalid = `${tenant.serverKey.slice(0, -1)}${tenant.serverKey.endsWith('0') ? '1' : '0'}`
      for (const key of [made.body.key, tenant.publishableKey, invalid, 'otp_sk_x', 'x']) {
        const answer = await exchange(key, { verification_token: unknownToken })
        assertRefusal(answer, { status: 401, type: 'HTTPException', message: /key/ })
        messages.add(answer.body.error.message)
      }
      assert.equal(messages.size, 1)
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        `Basic ${tenant.serverKey}`,
        tenant.serverKey,
      ]) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
        const answer = await node.call('POST', '/api/v1/verifications/exchange', { body: {}, headers })
        assertRefusal(answer, { status: 401, type: 'HTTPException', message: /Authorization: Bearer/ })
      }
    })

    it('404 is one answer for a token that is unknown, expired, exchanged by another key, or foreign', async () => {
      const stranger = await createTenant(node)
      const other = await createKey(node, tenant.appId, 'server')
      const bodies: string[] = []
      const record = async (key: string, token: string) => {
        const answer = await exchange(key, { verification_token: token })
        assertRefusal(answer, notFound)
        bodies.push(JSON.stringify(answer.body.error))
      }
      await record(tenant.serverKey, unknownToken)
      await record(tenant.serverKey, 'otp_vt_')
      await record(tenant.serverKey, `otp_vt_${'x'.repeat(121)}`)
      await record(tenant.serverKey, 'otp_vt_\0')
      await record(stranger.serverKey, await tokenOf(tenant))

      const exchanged = await tokenOf(tenant)
      assert.equal((await exchange(tenant.serverKey, { verification_token: exchanged })).status, 200)
      await record(other, exchanged)
      assert.equal((await exchange(tenant.serverKey, { verification_token: exchanged })).status, 200)

      const expired = await tokenOf(tenant)
      await database.query(
        `update tokens set expires_at = now() where app_id = $1 and exchanged_by is null`,
        [tenant.appId],
      )
      await record(tenant.serverKey, expired)
      assert.equal(new Set(bodies).size, 1)
    })

    it('422 is for a body that is missing or malformed, and names the field', async () => {
      field('', /must be JSON/)(await exchange(tenant.serverKey, undefined))
      field('', /not JSON/)(await exchange(tenant.serverKey, '{'))
      field('verification_token', /is required|of type string/)(await exchange(tenant.serverKey, {}))
      field(
        'verification_token',
        /is required|of type string/,
      )(await exchange(tenant.serverKey, { verification_token: 1 }))
      field(
        'verification_token',
        /otp_vt_/,
      )(await exchange(tenant.serverKey, { verification_token: 'token' }))
      field(
        'verification_token',
        /128/,
      )(await exchange(tenant.serverKey, { verification_token: `otp_vt_${'0'.repeat(122)}` }))
      field(
        'otp_id',
        /not a field/,
      )(await exchange(tenant.serverKey, { verification_token: unknownToken, otp_id: unknownOtp }))
    })
  })
})
