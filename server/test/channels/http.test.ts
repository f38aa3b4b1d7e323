/** The requests that an HTTP gateway gets. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { http } from '../../src/channels/http/index.ts'
import { json } from './http-peer.ts'
import { body, open, openWithPeer } from './http-support.ts'
import { generousDeadline, outgoing } from './support.ts'

const send = (account: ProviderAccount, changes: object = {}) =>
  account.send(outgoing(changes), generousDeadline())

describe('any gateway: sending', () => {
  it('fills in a JSON body, with numbers where the template has no quotes', async (test) => {
    const { peer, account } = await openWithPeer(test, { path: '/v1/send', message_id_at: ['/id'] })
    peer.answer = json(200, { id: 42 })
    assert.deepEqual(await send(account, { ttlSeconds: 599.7 }), { kind: 'accepted', messageId: '42' })
    const [request] = peer.requests
    assert.equal(request?.url, '/v1/send')
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      to: '+14155550123',
      from: 'Shop',
      text: 'Your ACME code is 123456',
      ttl: 599,
    })
  })

  it('fills in a form, an XML document and an address, each with its own headers', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      body_type: 'form',
      body: 'To={to_digits}\nText={text}\nRef={delivery_id}',
      headers: { 'X-Ref': '{delivery_id}', Accept: 'text/plain' },
    })
    await send(account, { text: 'a & b=ü' })
    assert.deepEqual(Object.fromEntries(new URLSearchParams(peer.requests[0]?.body)), {
      To: '14155550123',
      Text: 'a & b=ü',
      Ref: 'dlv_01',
    })
    assert.equal(peer.requests[0]?.headers['x-ref'], 'dlv_01')
    assert.equal(peer.requests[0]?.headers.accept, 'text/plain')
    const xml = open(test, { base_url: peer.url, body_type: 'xml', body: '<sms to="{to}">{text}</sms>' })
    await send(xml, { text: `<b>&'"` })
    assert.equal(peer.requests[1]?.body, '<sms to="+14155550123">&lt;b&gt;&amp;&apos;&quot;</sms>')
    const get = open(test, {
      base_url: `${peer.url}/api/`,
      path: '/send/{to}?text={text}&u={unicode}',
      method: 'GET',
      when_unicode: '1',
      when_plain: '0',
    })
    await send(get, { text: 'код 1234?' })
    assert.equal(peer.requests[2]?.method, 'GET')
    assert.equal(peer.requests[2]?.body, '')
    const url = new URL(peer.requests[2]?.url ?? '', peer.url)
    assert.equal(url.pathname, '/api/send/%2B14155550123')
    assert.deepEqual(Object.fromEntries(url.searchParams), { text: 'код 1234?', u: '1' })
  })

  it('shows who it is in each of the ways there are', async (test) => {
    const basic = `Basic ${Buffer.from('shop:sécret').toString('base64')}`
    const ways: readonly (readonly [object, (request: Seen) => unknown, unknown])[] = [
      [{ auth: 'none' }, ({ headers }) => headers.authorization, undefined],
      [{ auth: 'basic', user: 'shop', secret: 'sécret' }, ({ headers }) => headers.authorization, basic],
      [{ auth: 'bearer', secret: 'abc' }, ({ headers }) => headers.authorization, 'Bearer abc'],
      [
        { auth: 'header', auth_name: 'Authorization', auth_prefix: 'App ', secret: 'abc' },
        ({ headers }) => headers.authorization,
        'App abc',
      ],
      [
        { auth: 'query', auth_name: 'key', secret: 'a&b=c', path: '/x?y=1' },
        ({ url }) => url,
        '/x?y=1&key=a%26b%3Dc',
      ],
      [
        { auth: 'body', auth_name: 'api_key', secret: 'a"b' },
        (request) => JSON.parse(request.body).api_key,
        'a"b',
      ],
      [
        { auth: 'body', auth_name: 'api_key', secret: 'a&b', body_type: 'form', body: 'to={to}' },
        (request) => request.body,
        'to=%2B14155550123&api_key=a%26b',
      ],
    ]
    for (const [settings, seen, expected] of ways) {
      const { peer, account } = await openWithPeer(test, settings)
      await send(account)
      const [request] = peer.requests
      assert.ok(request)
      assert.equal(seen(request), expected, JSON.stringify(settings))
    }
  })

  it('signs for Amazon by Signature Version 4, at the time of the message and not of this machine', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      auth: 'aws',
      user: 'AKIDEXAMPLE',
      secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
      body_type: 'form',
      body: 'Action=Publish&PhoneNumber={to}&Message={text}',
    })
    await send(account, { nowMs: Date.UTC(2015, 7, 30, 12, 36) })
    const { authorization = '', 'x-amz-date': date } = peer.requests[0]?.headers ?? {}
    assert.equal(date, '20150830T123600Z')
    assert.match(
      authorization,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/sns\/aws4_request, /,
    )
    assert.equal(/Signature=([0-9a-f]{64})$/.exec(authorization)?.[1], signatureOf(peer.requests[0]))
  })

  it('says until when a code lives by the time of the message and not of this machine', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      body: '{"text": "{text}", "until": "{expires_at}"}',
    })
    await send(account, { nowMs: Date.UTC(2015, 7, 30, 12, 36), ttlSeconds: 90 })
    assert.equal(JSON.parse(peer.requests[0]?.body ?? '{}').until, '2015-08-30T12:37:30.000Z')
  })

  it('says how long a code lives in whole minutes, and no shorter than the gateway takes', async (test) => {
    const template = { body: '{"text": "{text}", "s": {ttl_s}, "min": {ttl_min}}' }
    const { peer, account } = await openWithPeer(test, template)
    await send(account, { ttlSeconds: 61 })
    const longer = await openWithPeer(test, { ...template, shortest_ttl_s: 120 })
    await send(longer.account, { ttlSeconds: 61 })
    const [said, saidLonger] = [...peer.requests, ...longer.peer.requests].map((request) =>
      JSON.parse(request.body),
    )
    assert.deepEqual([said.s, said.min, saidLonger.s, saidLonger.min], [61, 2, 120, 2])
  })

  it('sends nothing where a value would be a step of the path', async (test) => {
    const { peer, account } = await openWithPeer(test, { path: '/{text}/a' })
    for (const text of ['.', '..']) {
      const outcome = await send(account, { text })
      assert.equal(outcome.kind, 'refused')
    }
    assert.equal(peer.requests.length, 0)
  })
})

interface Seen {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** An independent implementation of Signature Version 4, from its documentation. */
function signatureOf(request: Seen | undefined): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const { headers = {}, body: sent = '', method = '', url = '' } = request ?? {}
  const names = /SignedHeaders=([^,]+),/.exec(String(headers.authorization))?.[1]?.split(';') ?? []
  const canonical = [
    method,
    url.split('?')[0],
    '',
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names.join(';'),
    hash(sent),
  ].join('\n')
  const scope = '20150830/us-east-1/sns/aws4_request'
  const toSign = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope, hash(canonical)].join('\n')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = ['20150830', 'us-east-1', 'sns', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    'AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  )
  return hmac(key, toSign).toString('hex')
}

describe('any gateway: a dry run', () => {
  it('shows the request that would go out, and no credential in it', () => {
    const shown = (settings: object) =>
      http.dryRun?.(http.settings.parse({ base_url: 'https://g.example', body, ...settings }), outgoing())
    const secret = 'canary-of-the-account'
    for (const settings of [
      { auth: 'basic', user: 'shop', secret },
      { auth: 'bearer', secret },
      { auth: 'header', auth_name: 'x-key', auth_prefix: 'App ', secret },
      { auth: 'query', auth_name: 'key', secret },
      { auth: 'body', auth_name: 'key', secret },
      { auth: 'aws', user: 'AKID', secret },
    ]) {
      const text = JSON.stringify(shown(settings))
      assert.ok(!text.includes(secret) && !text.includes(Buffer.from(`shop:${secret}`).toString('base64')))
      assert.ok(text.includes('****'), text)
      assert.ok(text.includes('Your ACME code is 123456'))
    }
  })
})
