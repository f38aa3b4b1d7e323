/** How receipts of an HTTP gateway are authenticated and read. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { http } from '../../src/channels/http/index.ts'
import { body, callback, jsonBody, open } from './http-support.ts'

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
      [
        jsonBody(Array.from({ length: 1_001 }, () => ({ id: 'a', state: 'delivered' }))),
        Array.from({ length: 1_000 }, () => ['a', 'delivered', null, false]),
      ],
      [jsonBody({ id: 'a'.repeat(201), state: 'delivered' }), []],
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
    const { receipt_secret: _, ...withoutSecret } = settings
    assert.equal(open(test, withoutSecret).parseCallback?.(callback(said)).kind, 'rejected')
    const completed = http.complete?.(http.settings.parse(withoutSecret))
    assert.notEqual(http.callbackToken?.(completed ?? http.settings.parse(withoutSecret)), null)
    assert.deepEqual(http.complete?.(http.settings.parse(settings)), http.settings.parse(settings))
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
    const inCapitals = `v1=${made('sha1', 'base64', said.body).toUpperCase()}`
    assert.equal(kindOf(sha1, { 'x-signature': inCapitals }), 'rejected')
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
    for (const time of ['1735689300', '1735689900']) assert.equal(kindOf(timed, at(time)), 'accepted', time)
    for (const time of ['1735689299', '1735689901']) assert.equal(kindOf(timed, at(time)), 'rejected', time)
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
