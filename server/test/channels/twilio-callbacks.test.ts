import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import twilioLibrary from 'twilio'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import type { CallbackRequest } from '../../src/channels/channel.ts'
import { MESSAGE_SID, open, SID } from './twilio-support.ts'

function callback(
  url: string,
  params: Record<string, string> | [name: string, value: string][],
  signature: string,
): CallbackRequest {
  return {
    method: 'POST',
    token: null,
    address: '192.0.2.1',
    url,
    query: Object.fromEntries(new URL(url).searchParams),
    headers: { 'x-twilio-signature': signature, 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(params).toString()),
    nowMs: Date.now(),
  }
}

describe('twilio: callbacks', () => {
  const url = 'https://example.com/hooks/twilio/status?app=app_1'
  const params = {
    AccountSid: SID,
    ApiVersion: '2010-04-01',
    From: '+14155550100',
    MessageSid: MESSAGE_SID,
    MessageStatus: 'delivered',
    To: '+14155550123',
  }

  it('accepts the signature of the test vector, as does the library of Twilio', (test) => {
    const signature = 'nlD6SOSrDmaMxSseg++ahFIRllM='
    assert.equal(twilioLibrary.validateRequest('12345', signature, url, params), true)
    assert.deepEqual(open(test, 'http://127.0.0.1').parseCallback?.(callback(url, params, signature)), {
      kind: 'accepted',
      receipts: [
        { deliveryId: null, messageId: MESSAGE_SID, status: 'delivered', error: null, unreachable: false },
      ],
      inbound: [],
    })
  })

  it('accepts exactly what the library of Twilio accepts', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const urls = [
      'https://otp.example/callbacks/acc_1?delivery=dlv_01',
      'https://otp.example:443/callbacks/acc_1?delivery=dlv_01',
      'https://otp.example:8443/callbacks/acc_1?delivery=dlv_01',
      'http://otp.example/callbacks/acc_1',
      "https://otp.example/callbacks?name=o'brien&empty=",
      'https://user:pass@otp.example/callbacks',
      'https://[::1]/callbacks?x=1',
      'https://[::1]:443/callbacks?x=1',
    ]
    const tried = { ...params, Ünïcode: 'välue +&=' }
    for (const received of urls) {
      for (const signed of urls) {
        const signature = getExpectedTwilioSignature('12345', signed, tried)
        const expected = twilioLibrary.validateRequest('12345', signature, received, tried)
        const result = account.parseCallback?.(callback(received, tried, signature))
        assert.equal(result?.kind === 'accepted', expected, `${signed} received as ${received}`)
      }
    }
  })

  it('accepts a field with several values as the library of Twilio does, and no value that was not signed', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const values = ['two', 'one', 'two']
    const signature = getExpectedTwilioSignature('12345', url, { ...params, MediaUrl: values })
    for (const [received, isAccepted] of [
      [values, true],
      [[...values, 'three'], false],
      [values.slice(0, 1), false],
    ] as const) {
      const tried = { ...params, MediaUrl: received }
      assert.equal(twilioLibrary.validateRequest('12345', signature, url, tried), isAccepted)
      const fields = received.map((value): [string, string] => ['MediaUrl', value])
      const result = account.parseCallback?.(callback(url, [...Object.entries(params), ...fields], signature))
      assert.equal(result?.kind === 'accepted', isAccepted, received.join(' '))
    }
  })

  it('rejects a signature over another body, address or token', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const sign = getExpectedTwilioSignature
    const forged = [
      callback(url, { ...params, MessageStatus: 'failed' }, sign('12345', url, params)),
      callback(`${url}&delivery=dlv_02`, params, sign('12345', url, params)),
      callback(url, params, sign('54321', url, params)),
      callback(url, params, ''),
    ]
    for (const request of forged) assert.equal(account.parseCallback?.(request).kind, 'rejected')
    const { 'x-twilio-signature': _, ...headers } = callback(url, params, '').headers
    assert.equal(account.parseCallback?.({ ...callback(url, params, ''), headers }).kind, 'rejected')
  })

  it('says of an error in a receipt whether it is the account’s', (test) => {
    const { faultOf } = open(test, 'http://127.0.0.1')
    const faults = ['30001', '30002', '21606', '21659', '30003', 'failed'].map((code) =>
      faultOf?.({ code, message: '' }),
    )
    assert.deepEqual(faults, ['retry', 'broken', 'broken', 'broken', null, null])
  })

  it('checks the hash of a body that is no form', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const body = Buffer.from('{"a":1}')
    const signed = `https://otp.example/hook?bodySHA256=${createHash('sha256').update(body).digest('hex')}`
    const signature = getExpectedTwilioSignature('12345', signed, {})
    const request = { ...callback(signed, {}, signature), body }
    assert.deepEqual(account.parseCallback?.(request), { kind: 'accepted', receipts: [], inbound: [] })
    assert.equal(account.parseCallback?.({ ...request, body: Buffer.from('{"a":2}') }).kind, 'rejected')
  })

  it('turns final statuses into receipts of the delivery in the address, and others into none', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const address = 'https://otp.example/callbacks/acc_1?delivery=dlv_01'
    const parse = (changes: Record<string, string>) => {
      const all = { ...params, ...changes }
      const signature = getExpectedTwilioSignature('12345', address, all)
      const result = account.parseCallback?.(callback(address, all, signature))
      assert.ok(result?.kind === 'accepted')
      return result.receipts.map(({ deliveryId, status, error, unreachable }) => [
        deliveryId,
        status,
        error?.code ?? null,
        unreachable,
      ])
    }
    for (const status of ['queued', 'sending', 'sent', 'accepted', 'partially_delivered', 'something_new']) {
      assert.deepEqual(parse({ MessageStatus: status }), [], status)
    }
    assert.deepEqual(parse({ MessageStatus: 'delivered' }), [['dlv_01', 'delivered', null, false]])
    assert.deepEqual(parse({ MessageStatus: 'undelivered', ErrorCode: '30003' }), [
      ['dlv_01', 'failed', '30003', false],
    ])
    assert.deepEqual(parse({ MessageStatus: 'undelivered', ErrorCode: '30006' }), [
      ['dlv_01', 'failed', '30006', true],
    ])
    for (const status of ['failed', 'canceled'])
      assert.deepEqual(parse({ MessageStatus: status }), [['dlv_01', 'failed', status, false]])
    assert.deepEqual(parse({ MessageStatus: 'read' }), [['dlv_01', 'delivered', null, false]])
  })
})
