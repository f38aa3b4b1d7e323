import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { templateLanguage } from '../../src/channels/whatsapp/template-language.ts'
import { drop, garbage, type HttpPeer, huge, json, startHttpPeer } from './http-peer.ts'
import { closedPort, generousDeadline, outgoing } from './support.ts'
import { NUMBER_ID, open } from './whatsapp-support.ts'

async function openWithPeer(test: TestContext): Promise<{ peer: HttpPeer; account: ProviderAccount }> {
  const peer = await startHttpPeer(test)
  peer.answer = json(200, {
    messaging_product: 'whatsapp',
    contacts: [{ input: '14155550123', wa_id: '14155550123' }],
    messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
  })
  return { peer, account: open(test, `${peer.url}/v21.0`) }
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
    const languages = { 'pt-BR': 'pt_BR', en: 'en_GB' }
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
        0, 3, 10, 33, 190, 200, 299, 368, 131005, 131031, 131037, 131042, 131045, 131048, 131064, 132000,
        132001, 132016,
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
    peer.answer = json(200, { error: { message: 'Not on WhatsApp.', code: 131026 } })
    assert.equal(
      (await account.send(outgoing(), generousDeadline())).kind,
      'unreachable',
      'whatever the status',
    )
  })

  it('reads an error whose code is a text, that has no words, or whose meaning is in the second code', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [error, kind] of [
      [{ code: '131026', message: 'x' }, 'unreachable'],
      [{ code: 131026, message: null }, 'unreachable'],
      [{ code: 131026, error_subcode: 'x' }, 'unreachable'],
      [{ code: 100, error_subcode: 33, message: "Object with ID '1' does not exist" }, 'broken'],
      [{ code: 100, error_subcode: 2494010, message: 'Invalid parameter' }, 'refused'],
    ] as const) {
      peer.answer = json(400, { error })
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, JSON.stringify(error))
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
    const closed = open(test, `http://127.0.0.1:${closedPort}`)
    assert.equal((await closed.send(outgoing(), generousDeadline())).kind, 'retry')
  })
})
