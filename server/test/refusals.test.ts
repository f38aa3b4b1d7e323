/** Every refusal of the API, read to the letter: status, type, message, details and headers. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createKey,
  createTenant,
  freshEmail,
  freshPhone,
  resend,
  send,
  started,
  status,
  type Tenant,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

const abusive = '198.18.0.0/15'
const usableIp = '8.8.8.8'
const abusiveIp = '9.9.9.9'
const vpnIp = '8.8.4.4'
const unknownOtp = 'otp_01kxxxxxxx0000000000000000'

interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: RegExp
  readonly details?: Record<string, unknown>
}

/** The parts that every refusal has, and those that this one must have. */
function assertRefusal(answer: Answer, expected: Refusal): void {
  assert.equal(answer.status, expected.status, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
  assert.deepEqual(Object.keys(answer.body), ['error', 'request_id'])
  assert.deepEqual(Object.keys(answer.body.error), ['type', 'message', 'details'])
  assert.match(answer.body.request_id, /^req_[0-9a-z]{26}$/)
  assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
  assert.equal(answer.body.error.type, expected.type)
  assert.match(answer.body.error.message, expected.message)
  assert.deepEqual(answer.body.error.details, expected.details ?? {})
  assert.equal(answer.headers.has('retry-after'), expected.status === 429 || expected.status === 503)
}

/** A 429: the header, the details and the message agree on the wait. */
function assertWait(answer: Answer, type: string, scope: string, bounds: { from: number; to: number }): void {
  const seconds = answer.body?.error?.details?.retry_after
  assert.ok(
    Number.isInteger(seconds) && seconds >= bounds.from && seconds <= bounds.to,
    JSON.stringify(answer.body),
  )
  assert.equal(answer.headers.get('retry-after'), String(seconds))
  assertRefusal(answer, {
    status: 429,
    type,
    message: new RegExp(`\\b${seconds} s\\b`),
    details: { scope, retry_after: seconds },
  })
}

const field = (path: string, message: RegExp) => (answer: Answer) => {
  const fields: { path: string; message: string }[] = answer.body?.error?.details?.fields
  assert.equal(fields?.length, 1, JSON.stringify(answer.body))
  assert.equal(fields[0]?.path, path)
  assert.match(fields[0]?.message ?? '', message)
  assertRefusal(answer, {
    status: 422,
    type: 'ValidationError',
    message: new RegExp(path ? `${path}: ` : 'body'),
    details: { fields },
  })
}

describe('refusals', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let node: Node
  let folder = ''
  let tenant: Tenant

  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'refusals-'))
    await writeFile(join(folder, 'abusive.txt'), `${abusive}\n${abusiveIp}\n`)
    await writeFile(join(folder, 'vpn.txt'), `${vpnIp}\n`)
    const sources = [
      { path: join(folder, 'abusive.txt'), class: 'abusive' },
      { path: join(folder, 'vpn.txt'), class: 'vpn' },
    ]
    await writeFile(join(folder, 'sources.json'), JSON.stringify(sources))
    node = await startNode(database.url, { ipSourcesFile: join(folder, 'sources.json') })
    tenant = await createTenant(node)
  })

  after(async () => {
    await node?.close()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const exchange = (key: string | undefined, body: unknown) =>
    node.call('POST', '/api/v1/verifications/exchange', { ...(key ? { key } : {}), body })

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
      'three hundred and twenty characters': 'a'.repeat(320),
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

    it('RateLimitExceededError for a recipient names the scope and the wait', async () => {
      const { serverKey } = await createTenant(node, { limits: { recipient: [{ max: 2, window_s: 600 }] } })
      const recipient = freshPhone()
      for (let count = 0; count < 2; count++)
        assert.equal((await send(node, serverKey, { recipient })).status, 200)
      const answer = await send(node, serverKey, { recipient })
      assertWait(answer, 'RateLimitExceededError', 'recipient', { from: 590, to: 600 })
      assert.match(answer.body.error.message, /recipient/)
    })

    it('RateLimitExceededError for failed guesses has the scope of the recipient', async () => {
      const { serverKey } = await createTenant(node, {
        limits: { recipient_failures: [{ max: 1, window_s: 60 }] },
      })
      const { otpId, code, recipient } = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).body.matched, false)
      assertWait(await send(node, serverKey, { recipient }), 'RateLimitExceededError', 'recipient', {
        from: 55,
        to: 60,
      })
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    })

    it('RateLimitExceededError for an address names its scope', async () => {
      const limits = { ip: [{ max: 2, window_s: 300 }], flagged_ip: [{ max: 1, window_s: 300 }] }
      const { serverKey } = await createTenant(node, { limits })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      for (let count = 0; count < 2; count++) assert.equal((await from(usableIp)).status, 200)
      const answer = await from(usableIp)
      assertWait(answer, 'RateLimitExceededError', 'ip', { from: 295, to: 300 })
      assert.match(answer.body.error.message, /\bip\b/)
      assert.ok(!JSON.stringify(answer.body).includes(usableIp))
    })

    it('RateLimitExceededError for IPv6 addresses counts their network of 64 bits', async () => {
      const limits = { ip: [{ max: 2, window_s: 300 }], flagged_ip: [{ max: 1, window_s: 300 }] }
      const { serverKey } = await createTenant(node, { limits })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      assert.equal((await from('2001:4860:4860::1')).status, 200)
      assert.equal((await from('2001:4860:4860:0:ffff::2')).status, 200)
      assertWait(await from('2001:4860:4860:0:1:2:3:4'), 'RateLimitExceededError', 'ip', {
        from: 295,
        to: 300,
      })
      assert.equal((await from('2001:4860:4860:1::1')).status, 200)
    })

    it('RateLimitExceededError for a VPN has a scope of its own', async () => {
      const { serverKey } = await createTenant(node, { limits: { flagged_ip: [{ max: 1, window_s: 300 }] } })
      const from = (client_ip: string) => send(node, serverKey, { recipient: freshPhone(), client_ip })
      assert.equal((await from(vpnIp)).status, 200)
      const answer = await from(vpnIp)
      assertWait(answer, 'RateLimitExceededError', 'flagged_ip', { from: 295, to: 300 })
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
        assertWait(answer, 'RateLimitExceededError', 'app_without_ip', { from: 50, to: 60 })
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
      assertWait(answer, 'RateLimitExceededError', 'app', { from: 50, to: 60 })
      assert.match(answer.body.error.message, /app/)
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
      // A refusal counts nothing, so the one call per minute is still to be had; the balance is what fails.
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

  describe('of resend', () => {
    it('ResendCooldownError carries the seconds left, everywhere alike', async () => {
      const { serverKey } = await createTenant(node, { resend_cooldown_s: 100 })
      const { otpId } = await started(node, serverKey)
      assertWait(await resend(node, serverKey, otpId), 'ResendCooldownError', 'cooldown', {
        from: 95,
        to: 100,
      })
      assertWait(await resend(node, serverKey, otpId, 'telegram'), 'ResendCooldownError', 'cooldown', {
        from: 95,
        to: 100,
      })
    })

    it('ResendCooldownError says a wait after which the resend goes through', async () => {
      const { serverKey } = await createTenant(node, { resend_cooldown_s: 1 })
      const { otpId } = await started(node, serverKey)
      const refused = await resend(node, serverKey, otpId)
      assertWait(refused, 'ResendCooldownError', 'cooldown', { from: 1, to: 1 })
      const refusedAt = performance.now()
      const waitMs = Number(refused.headers.get('retry-after')) * 1_000
      await until('the wait to be over', () => performance.now() - refusedAt >= waitMs)
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
      assertWait(await resend(node, serverKey, otpId), 'RateLimitExceededError', 'app', {
        from: 590,
        to: 600,
      })
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
      assertRefusal(await verify(node, serverKey, body.otp_id, '123456'), {
        status: 409,
        type: 'CodeNotExpectedError',
        message: /WhatsApp/,
      })
      await database.query('update verifications set expires_at = now() where otp_id = $1', [body.otp_id])
      assertRefusal(await verify(node, serverKey, body.otp_id, '123456'), {
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
      field('', /JSON body/)(await exchange(tenant.serverKey, undefined))
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
