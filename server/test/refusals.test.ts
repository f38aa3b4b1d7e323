/** Every refusal of a send, except those by limits. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createTenant, freshEmail, freshPhone, send } from './harness/fixtures.ts'
import { abusiveIp, assertRefusal, field, startRefusing, usableIp } from './refusals-support.ts'

const { database, node, tenant, close } = await startRefusing()
after(close)

describe('refusals', () => {
  describe('of send', () => {
    const badRecipients: Readonly<Record<string, string>> = {
      'an empty text': '',
      'a number without a plus': '447400123456',
      'a number with spaces': '+44 7400 123456',
      'a number that is too short': '+4474',
      'a number that is too long': `+44${'7'.repeat(20)}`,
      'a calling code that nobody has': '+9991234567',
      'a premium number': '+449098790000',
      'a toll-free number': '+448001111111',
      'a number with letters': '+44740012345a',
      'an address without a domain': 'someone@',
      'an address without a name': '@example.com',
      'an address of a host without a suffix': 'someone@localhost',
      'an address with a header in it': 'a@example.com\r\nBcc: b@example.com',
      'an address in brackets': 'Someone <someone@example.com>',
      'an address of a literal': 'someone@[127.0.0.1]',
      'two addresses': 'a@example.com,b@example.com',
      'as many characters as there may be': 'a'.repeat(320),
      'a NUL': '+447400123456\0',
    }
    for (const [name, recipient] of Object.entries(badRecipients)) {
      it(`InvalidRecipientError names the field for ${name}`, async () => {
        const answer = await send(node, tenant.serverKey, { recipient })
        assertRefusal(answer, { status: 422, type: 'InvalidRecipientError', message: /^recipient / })
        if (recipient.length > 5) assert.ok(!JSON.stringify(answer.body).includes(recipient))
      })
    }

    it('a recipient that is missing, or no text, is a ValidationError that names it', async () => {
      for (const recipient of [undefined, null, 5, true, ['+447400123456'], { a: 1 }]) {
        field('recipient', /is required|of type string/)(await send(node, tenant.serverKey, { recipient }))
      }
    })

    it('a recipient of more than 320 characters is a ValidationError, of whatever it consists', async () => {
      for (const recipient of [
        'a'.repeat(321),
        `${'a'.repeat(60_000)}@example.com`,
        `a@${'é.'.repeat(15_000)}com`,
      ]) {
        field('recipient', /at most 320 characters/)(await send(node, tenant.serverKey, { recipient }))
      }
    })

    it('NoEnabledChannelError says which channels were left out and why', async () => {
      const { serverKey } = await createTenant(node, {
        routing: { default: ['email', 'telegram'] },
        channels: { telegram: { enabled: true } },
      })
      const emailOnly = await createTenant(node, { routing: { default: ['email'] } })
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
      assertRefusal(await send(node, emailOnly.serverKey, { recipient: freshPhone() }), {
        status: 409,
        type: 'NoEnabledChannelError',
        message: /email: does not reach phone numbers/,
      })
    })

    it('NoEnabledChannelError also stands for an email where only phones are reached', async () => {
      const { serverKey } = await createTenant(node, { routing: { default: ['sms', 'whatsapp'] } })
      assertRefusal(await send(node, serverKey, { recipient: freshEmail() }), {
        status: 409,
        type: 'NoEnabledChannelError',
        message: /sms: does not reach email addresses/,
      })
    })

    it('GeoBlockedError names the country of the number, not of its calling code', async () => {
      const { serverKey } = await createTenant(node, { geo: { mode: 'block', countries: ['KZ', 'JE'] } })
      const kazakh = await send(node, serverKey, { recipient: '+77011234567' })
      assertRefusal(kazakh, {
        status: 403,
        type: 'GeoBlockedError',
        message: /\bKZ\b/,
        details: { country: 'KZ' },
      })
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    })

    it('GeoBlockedError stands for every country outside a list of allowed ones, and for no email', async () => {
      const { serverKey } = await createTenant(node, { geo: { mode: 'allow', countries: ['BR'] } })
      const british = await send(node, serverKey, { recipient: freshPhone() })
      assertRefusal(british, {
        status: 403,
        type: 'GeoBlockedError',
        message: /\bGB\b/,
        details: { country: 'GB' },
      })
      assert.equal((await send(node, serverKey, { recipient: freshEmail() })).status, 200)
    })

    it('InsufficientFundsError names the price, and nothing is kept of the send', async () => {
      const poor = await createTenant(node, {}, { balance: '0.049999' })
      const answer = await send(node, poor.serverKey, { recipient: freshPhone() })
      assertRefusal(answer, {
        status: 402,
        type: 'InsufficientFundsError',
        message: /0\.050000/,
        details: { price: '0.050000' },
      })
      const rows = await database.query('select 1 from verifications where app_id = $1', [poor.appId])
      assert.equal(rows.length, 0)
      assert.equal((await node.manage('GET', `/companies/${poor.companyId}`)).body.balance, '0.049999')
    })

    it('IpReputationBlockedError is for addresses that are known to be abusive', async () => {
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone(), client_ip: abusiveIp })
      assertRefusal(answer, { status: 403, type: 'IpReputationBlockedError', message: /client_ip/ })
    })

    it('IpReputationBlockedError sees through the IPv4-mapped form of an address', async () => {
      const answer = await send(node, tenant.serverKey, {
        recipient: freshPhone(),
        client_ip: `::ffff:${abusiveIp}`,
      })
      assertRefusal(answer, { status: 403, type: 'IpReputationBlockedError', message: /client_ip/ })
    })

    it('InvalidIdempotencyKeyError begins at 129 characters; 128 are taken', async () => {
      const withKey = (key: string) =>
        send(node, tenant.serverKey, { recipient: freshPhone() }, { 'idempotency-key': key })
      assertRefusal(await withKey('k'.repeat(129)), {
        status: 422,
        type: 'InvalidIdempotencyKeyError',
        message: /idempotency-key.*128/,
      })
      assert.equal((await withKey(randomBytes(64).toString('hex'))).status, 200)
    })

    for (const client_ip of [
      '',
      'localhost',
      '8.8.8',
      '8.8.8.8.8',
      '256.1.1.1',
      '08.8.8.8',
      '8.8.8.8:80',
      ' 8.8.8.8',
      '2001:::1',
      'fe80::1%eth0',
      '8.8.8.8/32',
      '[::1]',
    ]) {
      it(`a client_ip of "${client_ip}" is a ValidationError that names it`, async () => {
        field(
          'client_ip',
          /IPv4 or IPv6/,
        )(await send(node, tenant.serverKey, { recipient: freshPhone(), client_ip }))
      })
    }

    it('a client_ip that is no text is a ValidationError that names it', async () => {
      for (const client_ip of [1, ['8.8.8.8'], {}]) {
        field(
          'client_ip',
          /is required|of type string/,
        )(await send(node, tenant.serverKey, { recipient: freshPhone(), client_ip }))
      }
    })

    it('a client_ip from a device is a ValidationError that names it', async () => {
      const answer = await send(node, tenant.publishableKey, { recipient: freshPhone(), client_ip: usableIp })
      field('client_ip', /connection/)(answer)
    })

    for (const locale of ['', 'e', 'english please', 'en_US!', '12', 'en-', '-en', 'x'.repeat(36)]) {
      it(`a locale of "${locale}" is a ValidationError that names it`, async () => {
        field('locale', /./)(await send(node, tenant.serverKey, { recipient: freshPhone(), locale }))
      })
    }

    it('a channel is an unknown field, and is named', async () => {
      field(
        'channel',
        /not a field/,
      )(await send(node, tenant.serverKey, { recipient: freshPhone(), channel: 'sms' }))
    })

    it('the earlier check answers: body, recipient, geo, address, routing, limits, balance', async () => {
      const { serverKey, appId } = await createTenant(
        node,
        {
          geo: { countries: ['GB'] },
          routing: { default: ['email'] },
          limits: { app_without_ip: [{ max: 1, window_s: 60 }] },
        },
        { balance: '0' },
      )
      const recipient = freshPhone()
      const typeOf = async (body: Record<string, unknown>) =>
        (await send(node, serverKey, body)).body.error?.type
      const all = { recipient, client_ip: abusiveIp }
      assert.equal(await typeOf({ ...all, recipient: 'x', channel: 'sms' }), 'ValidationError')
      assert.equal(await typeOf({ ...all, recipient: 'x' }), 'InvalidRecipientError')
      assert.equal(await typeOf(all), 'GeoBlockedError')
      await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: [] } })
      assert.equal(await typeOf(all), 'IpReputationBlockedError')
      assert.equal(await typeOf({ recipient }), 'NoEnabledChannelError')
      await node.manage('PATCH', `/apps/${appId}`, { routing: { default: ['sms'] } })
      // A refusal counts towards no limit, so the one call per minute is still available, and the balance is what
      // refuses.
      assert.equal(await typeOf({ recipient }), 'InsufficientFundsError')
      assert.equal(await typeOf({ recipient }), 'InsufficientFundsError')
    })

    it('limits answer before the balance', async () => {
      const { serverKey, companyId } = await createTenant(
        node,
        { limits: { app_without_ip: [{ max: 1, window_s: 60 }] } },
        { balance: '0.05' },
      )
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
      const answer = await send(node, serverKey, { recipient: freshPhone() })
      assert.equal(answer.body.error.type, 'RateLimitExceededError')
      assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '0.000000')
    })
  })
})
