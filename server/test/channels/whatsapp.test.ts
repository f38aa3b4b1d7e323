import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { whatsapp } from '../../src/channels/whatsapp/index.ts'
import { templateLanguage } from '../../src/channels/whatsapp/template-language.ts'
import { drop, garbage, type HttpPeer, huge, json, startHttpPeer } from './http-peer.ts'
import { closedPort, generousDeadline, outgoing, recordingContext } from './support.ts'

const SECRET = 'meta_app_secret_test'
const NUMBER_ID = '1122334455667'

function open(test: TestContext, baseUrl: string, changes: object = {}): ProviderAccount {
  const settings = whatsapp.settings.parse({
    phone_number_id: NUMBER_ID,
    number: '+15550001111',
    access_token: 'token',
    app_secret: SECRET,
    verify_token: 'verify',
    template_name: 'otp_copy',
    base_url: baseUrl,
    ...changes,
  })
  const account = whatsapp.open(settings, recordingContext())
  test.after(account.close)
  return account
}

async function openWithPeer(test: TestContext): Promise<{ peer: HttpPeer; account: ProviderAccount }> {
  const peer = await startHttpPeer(test)
  peer.answer = json(200, {
    messaging_product: 'whatsapp',
    contacts: [{ input: '14155550123', wa_id: '14155550123' }],
    messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
  })
  return { peer, account: open(test, `${peer.url}/v21.0`) }
}

function signed(body: string, secret = SECRET): CallbackRequest {
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  return {
    method: 'POST',
    url: 'https://otp.example/callbacks/acc_1',
    query: {},
    headers: { 'x-hub-signature-256': `sha256=${mac}` },
    body: Buffer.from(body),
    nowMs: Date.now(),
  }
}

function notification(...values: object[]): string {
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: values.map((value) => ({
      id: 'WABA',
      changes: [
        {
          field: 'messages',
          value: { messaging_product: 'whatsapp', metadata: { phone_number_id: NUMBER_ID }, ...value },
        },
      ],
    })),
  })
}

function accept(account: ProviderAccount, body: string) {
  const result = account.parseCallback?.(signed(body))
  assert.ok(result?.kind === 'accepted', JSON.stringify(result))
  return result
}

describe('whatsapp: sending', () => {
  it('sends the template with the code for the text and for the button', async (test) => {
    const { peer, account } = await openWithPeer(test)
    assert.deepEqual(await account.send(outgoing(), generousDeadline()), {
      kind: 'accepted',
      messageId: 'wamid.HBgL',
    })
    const [request] = peer.requests
    assert.equal(request?.url, `/v21.0/${NUMBER_ID}/messages`)
    assert.equal(request?.headers.authorization, 'Bearer token')
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '14155550123',
      biz_opaque_callback_data: 'dlv_01',
      type: 'template',
      template: {
        name: 'otp_copy',
        language: { code: 'en_US' },
        components: [
          { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
        ],
      },
    })
  })

  it('answers what a person wrote with text in its context', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing({ inReplyTo: 'wamid.INBOUND' }), generousDeadline())
    assert.deepEqual(JSON.parse(peer.requests[0]?.body ?? ''), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '14155550123',
      biz_opaque_callback_data: 'dlv_01',
      context: { message_id: 'wamid.INBOUND' },
      type: 'text',
      text: { preview_url: false, body: 'Your ACME code is 123456' },
    })
  })

  it('names languages as Meta does', () => {
    const expected = {
      en: 'en_US',
      'en-GB': 'en_GB',
      'en-AU': 'en_US',
      'pt-BR': 'pt_BR',
      pt: 'pt_PT',
      zh: 'zh_CN',
      'zh-Hant': 'zh_TW',
      'zh-Hant-HK': 'zh_HK',
      es: 'es',
      'es-419': 'es',
      'de-AT': 'de',
      no: 'nb',
    }
    for (const [locale, code] of Object.entries(expected))
      assert.equal(templateLanguage(locale, undefined), code, locale)
  })

  it('uses only the languages in which an operator has the template', () => {
    const languages = { en: 'en_GB', 'pt-BR': 'pt_BR' }
    assert.equal(templateLanguage('pt-br', languages), 'pt_BR')
    assert.equal(templateLanguage('en-US', languages), 'en_GB')
    assert.equal(templateLanguage('de', languages), 'en_GB')
    assert.equal(templateLanguage('de', { fr: 'fr' }), 'fr')
  })

  it('maps every error it knows to what follows from it', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const expected: Record<string, number[]> = {
      unreachable: [131026],
      retry: [4, 80007, 130429, 131056, 1, 2, 131000, 131016, 135000],
      refused: [131047, 131049, 131050, 130472, 131021, 131030, 131008, 131009, 137000, 130497],
      broken: [
        0, 3, 10, 190, 200, 299, 368, 131005, 131031, 131042, 131045, 131048, 131064, 132000, 132001, 132016,
      ],
    }
    for (const [kind, codes] of Object.entries(expected)) {
      for (const code of codes) {
        peer.answer = json(400, { error: { message: 'about 14155550123', type: 'OAuthException', code } })
        const outcome = await account.send(outgoing(), generousDeadline())
        assert.equal(outcome.kind, kind, String(code))
        assert.ok(outcome.kind !== 'accepted')
        assert.deepEqual(outcome.error, { code: String(code), message: 'about [number]' })
      }
    }
  })

  it('tells a server that errs from one that does not answer', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.answer = json(503, { nothing: 'known' })
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'retry')
    peer.answer = json(429, {}, { 'retry-after': '3' })
    const throttled = await account.send(outgoing(), generousDeadline())
    assert.ok(throttled.kind === 'retry')
    assert.equal(throttled.afterSeconds, 3)
    for (const answer of [drop, garbage, huge, json(200, { messages: [] })]) {
      peer.answer = answer
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'uncertain')
    }
    const closed = open(test, `http://127.0.0.1:${await closedPort(createServer)}`)
    assert.equal((await closed.send(outgoing(), generousDeadline())).kind, 'retry')
  })
})

describe('whatsapp: callbacks', () => {
  it('answers the handshake only with the right token', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const handshake = (query: Record<string, string>): CallbackRequest => ({
      ...signed(''),
      method: 'GET',
      query: { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify', 'hub.challenge': '123', ...query },
    })
    assert.deepEqual(account.parseCallback?.(handshake({})), { kind: 'challenge', body: '123' })
    assert.equal(account.parseCallback?.(handshake({ 'hub.verify_token': 'verif' })).kind, 'rejected')
    assert.equal(account.parseCallback?.(handshake({ 'hub.mode': 'unsubscribe' })).kind, 'rejected')
    assert.equal(account.parseCallback?.({ ...signed(''), method: 'GET' }).kind, 'rejected')
  })

  it('accepts the signature of the test vector', (test) => {
    const request = {
      ...signed('{"object":"whatsapp_business_account","entry":[]}'),
      headers: {
        'x-hub-signature-256': 'sha256=8f1c69f3c50e172785b483ad84a36a6c64b4e199e23810fbd5e084d9300f6452',
      },
    }
    assert.deepEqual(open(test, 'http://127.0.0.1').parseCallback?.(request), {
      kind: 'accepted',
      receipts: [],
      inbound: [],
    })
  })

  it('rejects a body that was changed, another secret, and no signature', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const body = notification({ statuses: [] })
    assert.equal(account.parseCallback?.({ ...signed(body), body: Buffer.from(`${body} `) }).kind, 'rejected')
    assert.equal(account.parseCallback?.(signed(body, 'other')).kind, 'rejected')
    assert.equal(account.parseCallback?.({ ...signed(body), headers: {} }).kind, 'rejected')
  })

  it('checks the signature over the bytes, not over what they mean', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const escaped = '{"object":"whatsapp_business_account","entry":[],"name":"\\u00e4"}'
    assert.equal(account.parseCallback?.(signed(escaped)).kind, 'accepted')
    const reencoded = Buffer.from(JSON.stringify(JSON.parse(escaped)))
    assert.equal(account.parseCallback?.({ ...signed(escaped), body: reencoded }).kind, 'rejected')
  })

  it('reads every status of a batch, and read counts as delivered', (test) => {
    const status = (id: string, name: string, more: object = {}) => ({
      id,
      status: name,
      timestamp: '1698266945',
      recipient_id: '14155550123',
      biz_opaque_callback_data: `dlv_${id}`,
      ...more,
    })
    const undeliverable = {
      errors: [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'x' } }],
    }
    const { receipts } = accept(
      open(test, 'http://127.0.0.1'),
      notification(
        { statuses: [status('1', 'sent'), status('2', 'delivered'), status('3', 'read')] },
        {
          statuses: [
            status('4', 'failed', undeliverable),
            status('5', 'failed', { errors: [{ code: 131049 }] }),
          ],
        },
      ),
    )
    assert.deepEqual(
      receipts.map((receipt) => [
        receipt.deliveryId,
        receipt.messageId,
        receipt.status,
        receipt.error?.code ?? null,
        receipt.unreachable,
      ]),
      [
        ['dlv_2', '2', 'delivered', null, false],
        ['dlv_3', '3', 'delivered', null, false],
        ['dlv_4', '4', 'failed', '131026', true],
        ['dlv_5', '5', 'failed', '131049', false],
      ],
    )
  })

  it('reads what people write, and the replies they tap', (test) => {
    const { inbound } = accept(
      open(test, 'http://127.0.0.1'),
      notification({
        contacts: [{ profile: { name: 'A' }, wa_id: '14155550123', user_id: 'US.13491208655302741918' }],
        messages: [
          {
            from: '14155550123',
            id: 'wamid.1',
            timestamp: '1',
            type: 'text',
            text: { body: 'Verify ACME K7Q2' },
          },
          {
            from: '14155550123',
            id: 'wamid.2',
            timestamp: '1',
            type: 'button',
            button: { text: 'Yes', payload: 'y' },
          },
          {
            from: '14155550123',
            id: 'wamid.3',
            timestamp: '1',
            type: 'interactive',
            interactive: { type: 'button_reply', button_reply: { id: 'a', title: 'Approve' } },
          },
        ],
      }),
    )
    assert.deepEqual(inbound, [
      { messageId: 'wamid.1', from: '+14155550123', text: 'Verify ACME K7Q2' },
      { messageId: 'wamid.2', from: '+14155550123', text: 'Yes' },
      { messageId: 'wamid.3', from: '+14155550123', text: 'Approve' },
    ])
  })

  it('names no sender when the provider does not, or when the name is no number', (test) => {
    const text = { type: 'text', text: { body: 'Verify' } }
    const { inbound } = accept(
      open(test, 'http://127.0.0.1'),
      notification({
        contacts: [{ profile: { name: 'A' }, wa_id: '14155550123' }],
        messages: [
          { id: 'wamid.1', ...text },
          { id: 'wamid.2', from: 'US.13491208655302741918', ...text },
        ],
      }),
    )
    assert.deepEqual(
      inbound.map(({ from }) => from),
      [null, null],
    )
  })

  it('leaves out what is of another number, of an unknown kind or malformed, and keeps the rest', (test) => {
    const good = { from: '14155550123', id: 'wamid.ok', type: 'text', text: { body: 'hello' } }
    const { inbound, receipts } = accept(
      open(test, 'http://127.0.0.1'),
      notification(
        {
          metadata: { phone_number_id: '999' },
          messages: [good],
          statuses: [{ id: '1', status: 'delivered' }],
        },
        {
          messages: [
            { id: 7 },
            { id: 'x', type: 'system', system: {} },
            { id: 'y', type: 'unsupported' },
            good,
          ],
        },
        { messages: 'none' },
        { event: 'APPROVED', message_template_name: 'otp_copy', metadata: undefined },
      ),
    )
    assert.deepEqual(
      inbound.map(({ messageId }) => messageId),
      ['wamid.ok'],
    )
    assert.deepEqual(receipts, [])
  })

  it('rejects a signed body that is no notification', (test) => {
    const account = open(test, 'http://127.0.0.1')
    for (const body of ['', 'x', 'null', '[]', '{"entry":1}']) {
      assert.equal(account.parseCallback?.(signed(body)).kind, 'rejected', body)
    }
  })
})
