import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { listed, startSendService } from './send-support.ts'

const homeIp = '81.2.69.142'
const { database, node, proxied, close } = await startSendService()
after(close)

describe('the address of who asks for a code', () => {
  const addressOf = async (answer: Answer) => {
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [row] = await database.query<{ address: string | null }>(
      'select host(client_ip) as address from verifications where otp_id = $1',
      [answer.body.otp_id],
    )
    return row?.address ?? null
  }
  const byAddress = { limits: { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] } }

  describe('client_ip', () => {
    for (const client_ip of [
      '',
      'x',
      '1',
      '010.0.0.1',
      '0x7f.1',
      '8.8.8',
      '8.8.8.8/32',
      '8.8.8.8:80',
      'fe80::1%eth0',
      '[2606:4700::1]',
      7,
    ]) {
      it(`is refused when it is malformed: ${JSON.stringify(client_ip)}`, async () => {
        const { serverKey } = await createTenant(node)
        const answer = await send(node, serverKey, { recipient: freshPhone(), client_ip })
        assertRefused(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, 'client_ip')
      })
    }

    it('counts as absent when it is private or reserved, and shares the limit of those without one', async () => {
      const { serverKey } = await createTenant(node, {
        limits: { app_without_ip: [{ max: 4, window_s: 600 }] },
      })
      for (const client_ip of ['192.168.1.1', '127.0.0.1', '2001:db8::1', undefined]) {
        const body = client_ip ? { recipient: freshPhone(), client_ip } : { recipient: freshPhone() }
        assert.equal(await addressOf(await send(node, serverKey, body)), null)
      }
      for (const extra of [{}, { client_ip: '10.1.2.3' }, { client_ip: 'fd00::1' }]) {
        const answer = await send(node, serverKey, { recipient: freshPhone(), ...extra })
        assertRefused(answer, 429, 'RateLimitExceededError', 'app_without_ip')
      }
      const answer = await send(node, serverKey, { recipient: freshPhone(), client_ip: homeIp })
      assert.equal(await addressOf(answer), homeIp)
    })

    it('is not taken from a device', async () => {
      const { publishableKey } = await createTenant(node)
      const answer = await send(node, publishableKey, { recipient: freshPhone(), client_ip: homeIp })
      assertRefused(answer, 422, 'ValidationError')
      assert.equal(answer.body.error.details.fields[0].path, 'client_ip')
    })
  })

  describe('a device’s own address', () => {
    const sendFrom = (on: Node, key: string, forwarded: string) =>
      send(on, key, { recipient: freshPhone() }, { 'x-forwarded-for': forwarded })

    it('is read through trusted proxies', async () => {
      const { publishableKey } = await createTenant(proxied)
      for (const [forwarded, address] of [
        [homeIp, homeIp],
        [`${homeIp}, 10.1.1.1`, homeIp],
        [`9.9.9.9, ${homeIp}, 10.1.1.1,10.2.2.2`, homeIp],
        [`9.9.9.9, ${homeIp}`, homeIp],
        ['2a00:1450:4001:81b::5', '2a00:1450:4001:81b::5'],
        ['192.168.1.1', null],
        ['nonsense', null],
        [`${homeIp}, nonsense`, null],
      ] as const)
        assert.equal(await addressOf(await sendFrom(proxied, publishableKey, forwarded)), address, forwarded)
    })

    it('is the connection’s where no proxy is trusted, whatever a header claims', async () => {
      const { publishableKey } = await createTenant(node)
      for (const forwarded of [homeIp, `${homeIp}, 10.1.1.1`, 'nonsense'])
        assert.equal(await addressOf(await sendFrom(node, publishableKey, forwarded)), null)
    })

    it('gets no new bucket by a spoofed X-Forwarded-For without a proxy', async () => {
      const { publishableKey } = await createTenant(node, {
        limits: { app_without_ip: [{ max: 2, window_s: 600 }] },
      })
      for (const spoofed of ['9.9.9.1', '9.9.9.2'])
        assert.equal((await sendFrom(node, publishableKey, spoofed)).status, 200)
      for (const spoofed of ['9.9.9.3', homeIp]) {
        const answer = await sendFrom(node, publishableKey, spoofed)
        assertRefused(answer, 429, 'RateLimitExceededError', 'app_without_ip')
      }
    })

    it('gets no new bucket by a spoofed X-Forwarded-For in front of a proxy', async () => {
      const { publishableKey } = await createTenant(proxied, byAddress)
      for (const spoofed of ['9.9.9.1', '9.9.9.2'])
        assert.equal((await sendFrom(proxied, publishableKey, `${spoofed}, ${homeIp}`)).status, 200)
      for (const spoofed of ['9.9.9.3', '10.9.9.9', 'nonsense', '::1']) {
        const answer = await sendFrom(proxied, publishableKey, `${spoofed}, ${homeIp}, 10.0.0.1`)
        assertRefused(answer, 429, 'RateLimitExceededError', 'ip')
      }
    })

    it('is not looked at for a server key', async () => {
      const { serverKey } = await createTenant(proxied)
      assert.equal(await addressOf(await sendFrom(proxied, serverKey, homeIp)), null)
    })
  })

  describe('the reputation of an address', () => {
    it('refuses an abusive one, also when a milder list names it too', async () => {
      const { serverKey } = await createTenant(node)
      const answer = await send(node, serverKey, { recipient: freshPhone(), client_ip: listed.abusive })
      assertRefused(answer, 403, 'IpReputationBlockedError')
      const mapped = { recipient: freshPhone(), client_ip: `::ffff:${listed.abusive}` }
      assertRefused(await send(node, serverKey, mapped), 403, 'IpReputationBlockedError')
    })

    it('refuses a device that calls from an abusive one', async () => {
      const { publishableKey } = await createTenant(proxied)
      const headers = { 'x-forwarded-for': listed.abusive }
      const answer = await send(proxied, publishableKey, { recipient: freshPhone() }, headers)
      assertRefused(answer, 403, 'IpReputationBlockedError')
    })

    for (const ipClass of ['tor', 'proxy', 'vpn', 'hosting'] as const) {
      it(`holds a ${ipClass} one to the flagged limit`, async () => {
        const { serverKey } = await createTenant(node, byAddress)
        const call = () => send(node, serverKey, { recipient: freshPhone(), client_ip: listed[ipClass] })
        assert.equal((await call()).status, 200)
        assertRefused(await call(), 429, 'RateLimitExceededError', 'flagged_ip')
      })
    }

    it('holds a flagged IPv6 network by /64', async () => {
      const { serverKey } = await createTenant(node, byAddress)
      const call = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      assert.equal((await call('2a0b:f4c2:1::1')).status, 200)
      assertRefused(await call('2a0b:f4c2:1::2'), 429, 'RateLimitExceededError', 'flagged_ip')
      assert.equal((await call('2a0b:f4c2:2::1')).status, 200)
    })

    it('does not flag a privacy relay', async () => {
      const { serverKey } = await createTenant(node, byAddress)
      const call = () => send(node, serverKey, { recipient: freshPhone(), client_ip: listed.relay })
      for (const _ of [1, 2]) assert.equal((await call()).status, 200)
      assertRefused(await call(), 429, 'RateLimitExceededError', 'ip')
    })
  })
})
