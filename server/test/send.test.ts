import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createTenant,
  freshEmail,
  freshPhone,
  message,
  resend,
  send,
  started,
  status,
  verify,
} from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { startService } from './harness/service.ts'

const brazilian = '+5511987654321'
const londonFixedLine = '+442079460958'

const { node, close } = await startService()
after(close)

describe('send', () => {
  it('answers a pending verification and delivers a code that it never shows', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    const answer = await send(node, serverKey, { recipient })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body).sort(), [
      'action_url',
      'channel',
      'completion',
      'masked_recipient',
      'otp_id',
      'status',
    ])
    assert.match(answer.body.otp_id, /^otp_[0-9a-z]{26}$/)
    const { code, text } = await message(node, recipient)
    assert.match(code, /^\d{6}$/)
    assert.ok(text.includes(code))
    const seen = JSON.stringify([answer.body, (await status(node, serverKey, answer.body.otp_id)).body])
    assert.ok(!seen.includes(code))
    assert.ok(!seen.includes(recipient))
  })

  it('takes the first channel of the default order, or of the country’s own', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['telegram', 'sms', 'email'], countries: { BR: ['whatsapp', 'sms'] } },
    })
    for (const [recipient, channel] of [
      [freshPhone(), 'telegram'],
      [brazilian, 'whatsapp'],
      [freshEmail(), 'email'],
    ] as const) {
      const { answer } = await started(node, serverKey, recipient)
      assert.equal(answer.body.channel, channel)
      assert.equal(answer.body.completion, 'code')
      assert.equal(answer.body.action_url, null)
      assert.deepEqual(
        node.capture.to(recipient).map((captured) => captured.channel),
        [channel],
      )
    }
  })

  it('passes by what is switched off and what cannot reach the recipient', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['email', 'whatsapp', 'sms'] },
      channels: { whatsapp: { enabled: false } },
    })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).body.channel, 'sms')
    assert.equal((await send(node, serverKey, { recipient: freshEmail() })).body.channel, 'email')
  })

  it('sends no sms to a fixed line', async () => {
    const { serverKey } = await createTenant(node)
    assert.equal((await send(node, serverKey, { recipient: londonFixedLine })).body.channel, 'whatsapp')
    // In North America a number does not show whether it is a mobile.
    assert.equal((await send(node, serverKey, { recipient: '+12125551234' })).body.channel, 'sms')
  })

  it('masks a phone number down to its calling code and last two digits', async () => {
    const { serverKey } = await createTenant(node)
    for (const [recipient, masked] of [
      ['+447400123456', '+44****56'],
      [brazilian, '+55****21'],
      ['+12423591234', '+1****34'],
      ['+38344123407', '+383****07'],
    ])
      assert.equal((await send(node, serverKey, { recipient })).body.masked_recipient, masked)
  })

  it('masks an email address down to its first character and domain, also where it has no other', async () => {
    const { serverKey } = await createTenant(node)
    for (const [recipient, masked] of [
      ['person@example.com', 'p****@example.com'],
      ['ab@example.com', 'a****@example.com'],
      ['x@example.com', '****@example.com'],
      ['a@b.co', '****@b.co'],
      ['Jane.Doe@EXAMPLE.com', 'J****@example.com'],
    ])
      assert.equal((await send(node, serverKey, { recipient })).body.masked_recipient, masked)
  })

  it('delivers to an email address as it was written, and never to its limit form', async () => {
    const { serverKey } = await createTenant(node)
    const { recipient } = await started(node, serverKey, 'Jane.Doe+shop@gmail.com')
    assert.equal(node.capture.to(recipient).length, 1)
  })

  it('refuses an unknown field and names it', async () => {
    const { serverKey } = await createTenant(node)
    const answer = await send(node, serverKey, { recipient: freshPhone(), channel: 'sms', lcoale: 'en' })
    assertRefused(answer, 422, 'ValidationError')
    const paths = answer.body.error.details.fields.map((field: { path: string }) => field.path)
    assert.deepEqual(paths.sort(), ['channel', 'lcoale'])
    assert.match(answer.body.error.message, /channel/)
  })

  it('takes what everybody tests with: fictional numbers, reserved domains, international addresses', async () => {
    const { serverKey } = await createTenant(node)
    for (const recipient of [
      '+15551234567',
      '+15550001111',
      '+15005550006',
      '+447700900123',
      '+1234567890',
      'user@example.test',
      'user@example.invalid',
      'user@host.local',
      'user@app.internal',
      'user@foo.example',
      'üser@example.com',
    ]) {
      const sent = await send(node, serverKey, { recipient })
      assert.equal(sent.status, 200, `${recipient}: ${JSON.stringify(sent.body)}`)
      const { code } = await message(node, recipient)
      assert.equal((await verify(node, serverKey, sent.body.otp_id, code)).body.matched, true)
    }
  })

  it('is stricter about numbers where the app asks for it, and finishes what it has begun', async () => {
    const { serverKey, appId } = await createTenant(node)
    const begun = await started(node, serverKey, '+15551234568')
    const ask = (number_check: string) => node.manage('PATCH', `/apps/${appId}`, { number_check })
    const taken = async (recipient: string) => (await send(node, serverKey, { recipient })).status === 200
    await ask('possible')
    assert.deepEqual([await taken('+15551234567'), await taken('+1234567890')], [true, false])
    await ask('valid')
    assert.deepEqual([await taken('+12025550123'), await taken('+15551234567')], [true, false])
    const preview = await node.call('POST', '/api/v1/routing/preview', {
      key: serverKey,
      body: { recipient: '+15551234567' },
    })
    assert.equal(preview.body.error.type, 'InvalidRecipientError')
    assert.equal((await resend(node, serverKey, begun.otpId)).status, 200)
  })

  it('calls a recipient that is missing or no string malformed', async () => {
    const { serverKey } = await createTenant(node)
    for (const body of [
      {},
      { recipient: 447400123456 },
      { recipient: null },
      { recipient: ['+447400123456'] },
    ])
      assertRefused(await send(node, serverKey, body), 422, 'ValidationError')
  })

  const nobodys: Record<string, string[]> = {
    'not E.164': [
      '',
      ' ',
      '447400123456',
      '+44 7400 123456',
      '+0447400123456',
      '00447400123456',
      '+44740012345x',
    ],
    'no number': ['+447400', '+4474001', '+1234567890123456', '+999123456789'],
    'without a country': [
      '+80012345678',
      '+870773111632',
      '+88161234567',
      '+88213300655',
      '+883510012345',
      '+979123456789',
    ],
    'premium rate': ['+449012345678', '+19002345678', '+33892123456'],
    'shared cost': ['+4918012345678', '+611300123456'],
    'toll-free': ['+448001111111', '+18002345678'],
    pager: ['+447640123456', '+4916412345'],
    voicemail: ['+41860123456789'],
    UAN: ['+443001234567'],
    'a personal number': ['+447012345678'],
    'no email address': [
      'a@',
      '@example.com',
      'a@localhost',
      'a@[127.0.0.1]',
      '"a"@example.com',
      'a@example.1',
      'a\u200b@example.com',
    ],
  }
  for (const [kind, recipients] of Object.entries(nobodys)) {
    it(`refuses a recipient that is ${kind}`, async () => {
      const { serverKey } = await createTenant(node)
      for (const recipient of recipients)
        assertRefused(await send(node, serverKey, { recipient }), 422, 'InvalidRecipientError')
    })
  }
})
