/** Every refusal of a send by a limit: its scope, and how long to wait. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send, started, verify, wrongCode } from './harness/fixtures.ts'
import { assertWait, startRefusing, usableIp, vpnIp } from './refusals-support.ts'

const { node, close } = await startRefusing()
after(close)

describe('refusals', () => {
  describe('of send', () => {
    it('RateLimitExceededError for a recipient names the scope and the wait', async () => {
      const { serverKey } = await createTenant(node, { limits: { recipient: [{ max: 2, window_s: 600 }] } })
      const recipient = freshPhone()
      for (let count = 0; count < 2; count++)
        assert.equal((await send(node, serverKey, { recipient })).status, 200)
      const answer = await send(node, serverKey, { recipient })
      assertWait(answer, 'RateLimitExceededError', 'recipient', 600)
      assert.match(answer.body.error.message, /recipient/)
    })

    it('RateLimitExceededError for failed guesses has the scope of the recipient', async () => {
      const { serverKey } = await createTenant(node, {
        limits: { recipient_failures: [{ max: 1, window_s: 60 }] },
      })
      const { otpId, code, recipient } = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).body.matched, false)
      assertWait(await send(node, serverKey, { recipient }), 'RateLimitExceededError', 'recipient', 60)
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    })

    it('RateLimitExceededError for an address names its scope', async () => {
      const limits = { ip: [{ max: 2, window_s: 300 }], flagged_ip: [{ max: 1, window_s: 300 }] }
      const { serverKey } = await createTenant(node, { limits })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      for (let count = 0; count < 2; count++) assert.equal((await from(usableIp)).status, 200)
      const answer = await from(usableIp)
      assertWait(answer, 'RateLimitExceededError', 'ip', 300)
      assert.match(answer.body.error.message, /\bip\b/)
      assert.ok(!JSON.stringify(answer.body).includes(usableIp))
    })

    it('RateLimitExceededError for IPv6 addresses counts their network of 64 bits', async () => {
      const limits = { ip: [{ max: 2, window_s: 300 }], flagged_ip: [{ max: 1, window_s: 300 }] }
      const { serverKey } = await createTenant(node, { limits })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      assert.equal((await from('2001:4860:4860::1')).status, 200)
      assert.equal((await from('2001:4860:4860:0:ffff::2')).status, 200)
      assertWait(await from('2001:4860:4860:0:1:2:3:4'), 'RateLimitExceededError', 'ip', 300)
      assert.equal((await from('2001:4860:4860:1::1')).status, 200)
    })

    it('RateLimitExceededError for a VPN has a scope of its own', async () => {
      const { serverKey } = await createTenant(node, { limits: { flagged_ip: [{ max: 1, window_s: 300 }] } })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      assert.equal((await from(vpnIp)).status, 200)
      const answer = await from(vpnIp)
      assertWait(answer, 'RateLimitExceededError', 'flagged_ip', 300)
      assert.match(answer.body.error.message, /VPN.*flagged_ip/)
      assert.equal((await from(usableIp)).status, 200)
    })

    it('RateLimitExceededError without a usable address is shared by the app, and others are not held to it', async () => {
      const { serverKey } = await createTenant(node, {
        limits: { app_without_ip: [{ max: 1, window_s: 60 }] },
      })
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
      for (const client_ip of [
        undefined,
        '10.0.0.1',
        '127.0.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '::1',
        'fe80::1',
        'fd00::1',
        '0.0.0.0',
        '224.0.0.1',
        '2001:db8::1',
      ]) {
        const answer = await send(node, serverKey, {
          recipient: freshPhone(),
          ...(client_ip ? { client_ip } : {}),
        })
        assertWait(answer, 'RateLimitExceededError', 'app_without_ip', 60)
        assert.match(answer.body.error.message, /without a usable client_ip.*app_without_ip/)
      }
      assert.equal(
        (await send(node, serverKey, { recipient: freshPhone(), client_ip: usableIp })).status,
        200,
      )
    })

    it('RateLimitExceededError for the app names its scope', async () => {
      const limits = { app: [{ max: 1, window_s: 60 }], app_without_ip: [{ max: 1, window_s: 120 }] }
      const { serverKey } = await createTenant(node, { limits })
      assert.equal(
        (await send(node, serverKey, { recipient: freshPhone(), client_ip: usableIp })).status,
        200,
      )
      const answer = await send(node, serverKey, { recipient: freshPhone(), client_ip: usableIp })
      assertWait(answer, 'RateLimitExceededError', 'app', 60)
      assert.match(answer.body.error.message, /app/)
    })
  })
})
