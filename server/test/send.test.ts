import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { whatsappNumber } from './harness/capture.ts'
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

describe('send', { timeout: 120_000 }, () => {
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
    // In North America a number does not tell what it is.
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
      ['x@example.com', 'x****@example.com'],
      ['a@b.co', 'a****@b.co'],
      ['Jane.Doe@EXAMPLE.com', 'J****@example.com'],
    ])
      assert.equal((await send(node, serverKey, { recipient })).body.masked_recipient, masked)
  })

  it('delivers to an email address as it was written, and never to its limit form', async () => {
    const { serverKey } = await createTenant(node)
    const { recipient } = await started(node, serverKey, 'Jane.Doe+shop@gmail.com')
    assert.equal(node.capture.to(recipient).length, 1)
  })

  describe('the language of a message', () => {
    const words: Record<string, RegExp> = {
      en: /is your .*code|code for Acme/i,
      de: /ist Ihr Code für Acme/,
      pt: /é o seu código para Acme/,
      'pt-BR': /é seu código para Acme/,
    }
    for (const [asked, appLocale, expected] of [
      [undefined, 'en', 'en'],
      [undefined, 'de', 'de'],
      ['de', 'en', 'de'],
      ['pt-BR', 'en', 'pt-BR'],
      ['pt-br', 'en', 'pt-BR'],
      ['pt_BR', 'en', 'pt-BR'],
      ['pt-AO', 'en', 'pt'],
      ['de-CH-1996', 'en', 'de'],
      ['tlh', 'de', 'de'],
      ['tlh-Latn-US', 'en', 'en'],
    ] as const) {
      it(`is ${expected} when ${asked ?? 'none'} was asked for and the app’s is ${appLocale}`, async () => {
        const { serverKey } = await createTenant(node, { default_locale: appLocale })
        const recipient = freshPhone()
        await send(node, serverKey, asked ? { recipient, locale: asked } : { recipient })
        const { text, locale } = await message(node, recipient)
        assert.equal(locale, expected)
        assert.match(text, words[expected] ?? /^$/)
      })
    }
    for (const locale of ['', 'e', '_', 'en-', 'english language', '??', 'x'.repeat(36), 7]) {
      it(`is refused when it is no tag: ${JSON.stringify(locale)}`, async () => {
        const { serverKey } = await createTenant(node)
        const answer = await send(node, serverKey, { recipient: freshPhone(), locale })
        assertRefused(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, 'locale')
      })
    }
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

  describe('geo', () => {
    const places = [
      ['+12423591234', 'BS', 'US'],
      ['+77012345678', 'KZ', 'RU'],
      ['+441534123456', 'JE', 'GB'],
      ['+38344123456', 'XK', 'RS'],
    ] as const
    for (const [recipient, country, neighbour] of places) {
      it(`goes by the number’s own region: ${recipient} is ${country}, not ${neighbour}`, async () => {
        const block = await createTenant(node, { geo: { mode: 'block', countries: [country] } })
        const answer = await send(node, block.serverKey, { recipient })
        assertRefused(answer, 403, 'GeoBlockedError')
        const blockNeighbour = await createTenant(node, { geo: { mode: 'block', countries: [neighbour] } })
        assert.equal((await send(node, blockNeighbour.serverKey, { recipient })).status, 200)
        const allow = await createTenant(node, { geo: { mode: 'allow', countries: [country] } })
        assert.equal((await send(node, allow.serverKey, { recipient })).status, 200)
        const allowNeighbour = await createTenant(node, { geo: { mode: 'allow', countries: [neighbour] } })
        assertRefused(await send(node, allowNeighbour.serverKey, { recipient }), 403, 'GeoBlockedError')
      })
    }

    it('and the order of channels go by the same region', async () => {
      for (const [recipient, country, neighbour] of places) {
        const { serverKey } = await createTenant(node, {
          routing: { countries: { [country]: ['telegram'], [neighbour]: ['whatsapp'] } },
        })
        assert.equal((await send(node, serverKey, { recipient })).body.channel, 'telegram', country)
      }
    })

    it('does not apply to email addresses', async () => {
      const { serverKey } = await createTenant(node, { geo: { mode: 'allow', countries: [] } })
      assert.equal((await send(node, serverKey, { recipient: freshEmail() })).status, 200)
      assertRefused(await send(node, serverKey, { recipient: freshPhone() }), 403, 'GeoBlockedError')
    })
  })

  describe('a WhatsApp link', () => {
    for (const [mode, completion] of [
      ['link_code', 'code'],
      ['link_inbound', 'inbound'],
    ] as const) {
      it(`is answered in ${mode}, and nothing is sent or paid`, async () => {
        const { serverKey, companyId } = await createTenant(node, {
          name: 'Müller & Söhne?',
          routing: { default: ['whatsapp', 'sms'] },
          channels: { whatsapp: { mode } },
        })
        const recipient = freshPhone()
        const { body } = await send(node, serverKey, { recipient, locale: 'de-AT' })
        assert.equal(body.channel, 'whatsapp')
        assert.equal(body.completion, completion)
        assert.equal(body.status, 'pending')
        const url = new URL(body.action_url)
        assert.equal(`${url.origin}${url.pathname}`, `https://wa.me/${whatsappNumber}`)
        assert.deepEqual([...url.searchParams.keys()], ['text'])
        const text = url.searchParams.get('text') ?? ''
        assert.match(text, /^Ich möchte meine Nummer bei Müller & Söhne\? bestätigen\./)
        const reference = /[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4})*$/.exec(text)?.[0] ?? ''
        assert.ok(reference.replaceAll('-', '').length * 5 >= 64, reference)

        const seen = await status(node, serverKey, body.otp_id)
        assert.equal(seen.body.action_url, body.action_url)
        assert.deepEqual(seen.body.deliveries, [])
        assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '1000.000000')
        assert.equal(node.capture.to(recipient).length, 0)
      })
    }

    it('has a reference of its own for every verification', async () => {
      const { serverKey } = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send(node, serverKey, { recipient: brazilian })),
      )
      assert.equal(new Set(answers.map((answer) => answer.body.action_url)).size, 20)
    })

    it('is not what another channel answers while WhatsApp is in a link mode', async () => {
      const { serverKey } = await createTenant(node, { channels: { whatsapp: { mode: 'link_inbound' } } })
      const { answer } = await started(node, serverKey)
      assert.deepEqual(
        [answer.body.channel, answer.body.completion, answer.body.action_url],
        ['sms', 'code', null],
      )
    })

    it('can be had without any balance', async () => {
      const { serverKey } = await createTenant(
        node,
        { routing: { default: ['whatsapp'] }, channels: { whatsapp: { mode: 'link_code' } } },
        { balance: '0' },
      )
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    })
  })
})
