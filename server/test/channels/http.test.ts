import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { http } from '../../src/channels/http/index.ts'
import { drop, garbage, huge, json } from './http-peer.ts'
import { body, callback, jsonBody, open, openWithPeer } from './http-support.ts'
import { closedPort, generousDeadline, outgoing } from './support.ts'

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

  it('signs for Amazon by Signature Version 4', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2015, 7, 30, 12, 36) })
    const { peer, account } = await openWithPeer(test, {
      auth: 'aws',
      user: 'AKIDEXAMPLE',
      secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
      body_type: 'form',
      body: 'Action=Publish&PhoneNumber={to}&Message={text}',
    })
    await send(account)
    const { authorization = '', 'x-amz-date': date } = peer.requests[0]?.headers ?? {}
    assert.equal(date, '20150830T123600Z')
    assert.match(
      authorization,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/sns\/aws4_request, /,
    )
    assert.equal(/Signature=([0-9a-f]{64})$/.exec(authorization)?.[1], signatureOf(peer.requests[0]))
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

/** Signature Version 4 written down once more, from its documentation. */
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

describe('any gateway: answers', () => {
  const settings = {
    message_id_at: ['/messages/0/id', 'header:X-Id'],
    code_at: ['/messages/0/status', '/error/code'],
    codes: {
      0: 'accepted',
      1: 'busy',
      'E5*': 'retry',
      E51: 'unreachable',
      NO_CREDIT: 'broken',
      '*': 'refused',
    },
    texts: { '*too many*': 'busy', 'maybe*': 'uncertain' },
    statuses: { 402: 'broken', '4xx': 'refused', 423: 'retry' },
    error_at: ['/error/text'],
  }

  it('mean what the account’s tables say: the code first, then the text, then the status', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    const tried: readonly (readonly [number, unknown, string])[] = [
      [200, { messages: [{ status: '0', id: 'a' }] }, 'accepted'],
      [200, { messages: [{ status: 0 }] }, 'accepted'],
      [200, { messages: [{ status: '1' }] }, 'retry'],
      [400, { error: { code: 'e51' } }, 'unreachable'],
      [400, { error: { code: 'E52' } }, 'retry'],
      [200, { error: { code: 'no_credit' } }, 'broken'],
      [500, { error: { code: 'other' } }, 'refused'],
      [200, 'there were Too Many of them', 'retry'],
      [200, 'maybe', 'uncertain'],
      [402, {}, 'broken'],
      [423, {}, 'retry'],
      [404, {}, 'refused'],
      [503, {}, 'retry'],
      [200, {}, 'uncertain'],
      [302, {}, 'broken'],
    ]
    for (const [status, answer, kind] of tried) {
      peer.answer =
        typeof answer === 'string'
          ? (response) => response.writeHead(status).end(answer)
          : json(status, answer)
      assert.equal((await send(account)).kind, kind, `${status} ${JSON.stringify(answer)}`)
    }
  })

  it('are kept without the recipient, with the gateway’s code, and waited on as long as they say', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    peer.answer = json(400, { error: { code: 'E9', text: 'no route to +14155550123' } })
    const refused = await send(account)
    assert.ok(refused.kind === 'refused')
    assert.deepEqual(refused.error, { code: 'E9', message: 'no route to [number]' })
    peer.answer = json(200, { messages: [{ status: '1' }] }, { 'retry-after': '7' })
    const busy = await send(account)
    assert.equal(busy.kind === 'retry' && busy.afterSeconds, 7)
    peer.answer = json(200, { messages: [{ status: '1' }] })
    const later = await send(account)
    assert.equal(later.kind === 'retry' && later.afterSeconds, 5)
  })

  it('need not be JSON: an id stands between texts, behind one, or in a header', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      message_id_at: ['<id>{}</id>', 'ID: {}', 'header:X-Id'],
    })
    const tried: readonly (readonly [string, string | null])[] = [
      ['<r><id> abc </id></r>', 'abc'],
      ['OK ID: 77 queued', '77'],
      ['OK', 'from the header'],
      [`ID: ${'x'.repeat(300)}`, null],
    ]
    for (const [text, messageId] of tried) {
      peer.answer = (response) => response.writeHead(200, { 'x-id': 'from the header' }).end(text)
      assert.deepEqual(await send(account), { kind: 'accepted', messageId }, text)
    }
  })

  it('have no header and no parameter that nobody sent, whatever it is called', async (test) => {
    const places = ['header:constructor', 'header:toString', 'header:__proto__', '/constructor', '/id']
    const { peer, account } = await openWithPeer(test, { message_id_at: places })
    peer.answer = json(200, { id: 'm1' })
    assert.deepEqual(await send(account), { kind: 'accepted', messageId: 'm1' })
  })

  it('that do not come, or cannot be read, are never taken for a refusal', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    for (const answer of [drop, garbage, huge]) {
      peer.answer = answer
      assert.equal((await send(account)).kind, 'uncertain')
    }
    const nobody = open(test, { base_url: `http://127.0.0.1:${await closedPort(createServer)}`, body })
    assert.equal((await send(nobody)).kind, 'retry')
  })
})

describe('any gateway: receipts', () => {
  const settings = {
    base_url: 'https://gateway.example',
    body,
    receipts: 'path',
    receipt_secret: 'a secret for receipts',
    receipt_id_at: ['/id'],
    receipt_delivery_at: ['?delivery'],
    receipt_state_at: ['/state'],
    receipt_states: { 'deliv*': 'delivered', failed: 'failed', gone: 'unreachable', queued: 'ignored' },
    receipt_error_at: ['/error'],
    receipt_errors: { 30: 'unreachable' },
  }
  const token = http.callbackToken?.(http.settings.parse(settings)) ?? ''
  const receiptsOf = (account: ProviderAccount, request: CallbackRequest) => {
    const result = account.parseCallback?.(request)
    assert.ok(result?.kind === 'accepted', result?.kind)
    return result.receipts.map(({ deliveryId, messageId, status, error, unreachable }) => [
      messageId ?? deliveryId,
      status,
      error?.code ?? null,
      unreachable,
    ])
  }

  it('say what the account’s table says, from JSON, a form and the address', (test) => {
    const account = open(test, settings)
    const tried: readonly (readonly [Partial<CallbackRequest>, unknown[]])[] = [
      [jsonBody({ id: 'a', state: 'DELIVRD' }), [['a', 'delivered', null, false]]],
      [jsonBody({ id: 7, state: 'failed', error: 12 }), [['7', 'failed', '12', false]]],
      [jsonBody({ id: 'a', state: 'failed', error: '30' }), [['a', 'failed', '30', true]]],
      [jsonBody({ id: 'a', state: 'gone' }), [['a', 'failed', 'gone', true]]],
      [jsonBody({ id: 'a', state: 'queued' }), []],
      [jsonBody({ id: 'a', state: 'something new' }), []],
      [jsonBody({ state: 'delivered' }), []],
      [
        jsonBody([
          { id: 'a', state: 'delivered' },
          { id: 'b', state: 'failed' },
        ]),
        [
          ['a', 'delivered', null, false],
          ['b', 'failed', 'failed', false],
        ],
      ],
      [
        { ...jsonBody({ state: 'delivered' }), query: { delivery: 'dlv_1' } },
        [['dlv_1', 'delivered', null, false]],
      ],
      [
        {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: Buffer.from('id=a+b&state=delivered'),
        },
        [['a b', 'delivered', null, false]],
      ],
      [{ body: Buffer.from('{') }, []],
    ]
    for (const [request, expected] of tried)
      assert.deepEqual(
        receiptsOf(account, callback({ token, ...request })),
        expected,
        JSON.stringify(request),
      )
    const listed = open(test, { ...settings, receipt_list: '/results' })
    const several = jsonBody({
      results: [
        { id: 'a', state: 'delivered' },
        { id: 'b', state: 'gone' },
      ],
    })
    assert.equal(receiptsOf(listed, callback({ token, ...several })).length, 2)
    assert.deepEqual(
      receiptsOf(listed, callback({ token, ...jsonBody({ id: 'a', state: 'delivered' }) })),
      [],
    )
  })

  it('by the path need its token, which is no part of the secret, and come by POST', (test) => {
    const account = open(test, settings)
    const said = jsonBody({ id: 'a', state: 'delivered' })
    assert.match(token, /^[\w-]{22}$/)
    for (const request of [
      callback(said),
      callback({ ...said, token: 'a secret for receipts' }),
      callback({ ...said, token: `${token}0` }),
      callback({ ...said, token, method: 'GET' }),
    ])
      assert.equal(account.parseCallback?.(request).kind, 'rejected')
  })

  it('by HMAC need the signature of these bytes, and a time that is near where one is signed', (test) => {
    const secret = settings.receipt_secret
    const said = jsonBody({ id: 'a', state: 'delivered' })
    const signed = { ...settings, receipts: 'hmac', receipt_header: 'X-Signature' }
    const made = (algorithm: string, encoding: 'hex' | 'base64', ...parts: (string | Buffer)[]) =>
      parts.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, secret)).digest(encoding)
    const plain = open(test, signed)
    const withHeaders = (headers: Record<string, string>) =>
      callback({ ...said, headers: { 'content-type': 'application/json', ...headers } })
    const kindOf = (account: ProviderAccount, headers: Record<string, string>) =>
      account.parseCallback?.(withHeaders(headers)).kind
    assert.equal(kindOf(plain, { 'x-signature': made('sha256', 'hex', said.body) }), 'accepted')
    assert.equal(kindOf(plain, { 'x-signature': made('sha256', 'hex', said.body).toUpperCase() }), 'accepted')
    assert.equal(kindOf(plain, { 'x-signature': made('sha256', 'hex', 'another') }), 'rejected')
    assert.equal(kindOf(plain, {}), 'rejected')
    const sha1 = open(test, {
      ...signed,
      receipt_algorithm: 'sha1',
      receipt_encoding: 'base64',
      receipt_prefix: 'v1=',
    })
    assert.equal(kindOf(sha1, { 'x-signature': `v1=${made('sha1', 'base64', said.body)}` }), 'accepted')
    assert.equal(kindOf(sha1, { 'x-signature': made('sha1', 'base64', said.body) }), 'rejected')
    const timed = open(test, {
      ...signed,
      receipt_signed: '{body}{timestamp}',
      receipt_timestamp_header: 'X-Timestamp',
    })
    const at = (time: string) => ({
      'x-timestamp': time,
      'x-signature': made('sha256', 'hex', said.body, time),
    })
    assert.equal(kindOf(timed, at('1735689600')), 'accepted')
    assert.equal(kindOf(timed, at('1735689299')), 'rejected')
    assert.equal(kindOf(timed, at('soon')), 'rejected')
    assert.equal(kindOf(timed, { ...at('1735689600'), 'x-timestamp': '1735689601' }), 'rejected')
  })

  it('by address need to come from one of them', (test) => {
    const account = open(test, {
      ...settings,
      receipts: 'addresses',
      receipt_addresses: ['192.0.2.0/24', '2001:db8::1'],
    })
    const from = (address: string) =>
      account.parseCallback?.(callback({ ...jsonBody({ id: 'a', state: 'delivered' }), address })).kind
    for (const address of ['192.0.2.77', '2001:db8::1', '::ffff:192.0.2.1'])
      assert.equal(from(address), 'accepted')
    for (const address of ['192.0.3.1', '2001:db8::2', '']) assert.equal(from(address), 'rejected')
  })
})

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
