import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { telegram } from '../../src/channels/telegram/index.ts'
import { drop, garbage, type HttpPeer, huge, json, startHttpPeer } from './http-peer.ts'
import { closedPort, generousDeadline, outgoing, recordingContext } from './support.ts'

const TOKEN = 'AAHTelegramGatewayTestToken'
const SENT_AT = 1_735_689_600

function open(test: TestContext, baseUrl: string, changes: object = {}): ProviderAccount {
  const settings = telegram.settings.parse({ token: TOKEN, base_url: baseUrl, ...changes })
  const account = telegram.open(settings, recordingContext())
  test.after(account.close)
  return account
}

async function openWithPeer(test: TestContext): Promise<{ peer: HttpPeer; account: ProviderAccount }> {
  const peer = await startHttpPeer(test)
  peer.answer = json(200, {
    ok: true,
    result: { request_id: '110000000000001', phone_number: '14155550123' },
  })
  return { peer, account: open(test, peer.url) }
}

function callback(body: string, signature: string, timestamp = String(SENT_AT)): CallbackRequest {
  return {
    method: 'POST',
    token: null,
    address: '192.0.2.1',
    url: 'https://otp.example/callbacks/acc_1',
    query: {},
    headers: { 'x-request-timestamp': timestamp, 'x-request-signature': signature },
    body: Buffer.from(body),
    nowMs: SENT_AT * 1_000 + 1_000,
  }
}

function sign(body: string, timestamp = String(SENT_AT), token = TOKEN): string {
  const key = createHash('sha256').update(token).digest()
  return createHmac('sha256', key).update(`${timestamp}\n${body}`).digest('hex')
}

describe('telegram: sending', () => {
  it('posts the code with its remaining life and the delivery as payload', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(200, { ok: true, result: { request_id: '110000000000001' } })
    const account = open(test, peer.url, { sender_username: 'acme' })
    assert.deepEqual(await account.send(outgoing(), generousDeadline()), {
      kind: 'accepted',
      messageId: '110000000000001',
    })
    const [request] = peer.requests
    assert.equal(request?.url, '/sendVerificationMessage')
    assert.equal(request?.headers.authorization, `Bearer ${TOKEN}`)
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      phone_number: '+14155550123',
      code: '123456',
      ttl: 600,
      payload: 'dlv_01',
      sender_username: 'acme',
      callback_url: 'https://otp.example/callbacks/acc_1',
    })
  })

  it('keeps the time to live within what Telegram takes', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const ttlSeconds of [3, 30, 599.9, 3_600, 86_400])
      await account.send(outgoing({ ttlSeconds }), generousDeadline())
    assert.deepEqual(
      peer.requests.map((request) => JSON.parse(request.body).ttl),
      [30, 30, 599, 3_600, 3_600],
    )
  })

  it('gives a stand-in a callback address without https, but none that is too long', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing({ callbackUrl: 'http://localhost:3000/callbacks/acc_1' }), generousDeadline())
    await account.send(
      outgoing({ callbackUrl: `https://otp.example/${'x'.repeat(256)}` }),
      generousDeadline(),
    )
    assert.deepEqual(
      peer.requests.map((request) => JSON.parse(request.body).callback_url),
      ['http://localhost:3000/callbacks/acc_1', undefined],
    )
  })

  it('maps every error name to what follows from it', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const expected: [string, string][] = [
      ['PHONE_NUMBER_NOT_FOUND', 'unreachable'],
      ['PHONE_NUMBER_NOT_AVAILABLE', 'unreachable'],
      ['ACCESS_TOKEN_INVALID', 'broken'],
      ['ACCESS_TOKEN_REQUIRED', 'broken'],
      ['BALANCE_NOT_ENOUGH', 'broken'],
      ['SENDER_NOT_VERIFIED', 'broken'],
      ['SENDER_NOT_OWNED', 'broken'],
      ['SENDER_USERNAME_INVALID', 'broken'],
      ['FLOOD_WAIT', 'retry'],
      ['PHONE_NUMBER_INVALID', 'refused'],
      ['CODE_INVALID', 'refused'],
      ['A_NAME_OF_TOMORROW', 'refused'],
      ['number +14155550123 is bad', 'refused'],
    ]
    for (const [error, kind] of expected) {
      peer.answer = json(200, { ok: false, error })
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, error)
      assert.doesNotMatch(JSON.stringify(outcome), /4155550123/)
    }
  })

  it('waits as long as a flood error says', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.answer = json(200, { ok: false, error: 'FLOOD_WAIT_42' })
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.ok(outcome.kind === 'retry')
    assert.equal(outcome.afterSeconds, 42)
    peer.answer = json(429, { ok: false, error: 'FLOOD_WAIT' }, { 'retry-after': '9' })
    const later = await account.send(outgoing(), generousDeadline())
    assert.equal(later.kind === 'retry' && later.afterSeconds, 9)
  })

  it('takes the id of a message as it is, and knows of none where none can be read', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [result, messageId] of [
      ['{"request_id":"110000000000001"}', '110000000000001'],
      ['{"request_id":110000000000001}', '110000000000001'],
      ['{"request_id":110000000000001234567}', '110000000000001234567'],
      ['{"request_id":null}', null],
      ['{"request_id":{}}', null],
      ['{}', null],
    ] as const) {
      peer.answer = (response) => response.end(`{"ok":true,"result":${result}}`)
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.deepEqual(outcome, { kind: 'accepted', messageId }, result)
    }
  })

  it('tells a server that errs from one that does not answer', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [status, kind] of [
      [500, 'retry'],
      [502, 'retry'],
      [429, 'retry'],
      [504, 'uncertain'],
      [401, 'broken'],
    ] as const) {
      peer.answer = (response) => response.writeHead(status).end('oops')
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, kind, String(status))
    }
    for (const answer of [drop, garbage, huge]) {
      peer.answer = answer
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'uncertain')
    }
    const closed = open(test, `http://127.0.0.1:${closedPort}`)
    assert.equal((await closed.send(outgoing(), generousDeadline())).kind, 'retry')
  })

  it('reports an approved code, and does not mind when Telegram does not listen', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.reportApproved?.('110000000000001', '123456', generousDeadline())
    peer.answer = drop
    await account.reportApproved?.('110000000000001', '123456', generousDeadline())
    const [request] = peer.requests
    assert.equal(request?.url, '/checkVerificationStatus')
    assert.deepEqual(JSON.parse(request?.body ?? ''), { request_id: '110000000000001', code: '123456' })
  })
})

describe('telegram: callbacks', () => {
  const body =
    '{"request_id":"1234567890","phone_number":"+391234567890","request_cost":0.01,"delivery_status":{"status":"delivered","updated_at":1735689599},"payload":"dlv_01"}'
  const signature = '0f2ea30a9a9336e75228769e5f57c01d7f44ff401c83c318b06420994c910ece'

  it('accepts the test vector', (test) => {
    assert.deepEqual(open(test, 'http://127.0.0.1').parseCallback?.(callback(body, signature)), {
      kind: 'accepted',
      receipts: [
        {
          deliveryId: 'dlv_01',
          messageId: '1234567890',
          status: 'delivered',
          error: null,
          unreachable: false,
        },
      ],
      inbound: [],
    })
  })

  it('rejects another body, another time, another token, no signature and a wrong method', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const forged = [
      callback(`${body} `, signature),
      callback(body, signature, String(SENT_AT + 1)),
      callback(body, sign(body, String(SENT_AT), 'other')),
      callback(body, ''),
      { ...callback(body, signature), headers: {} },
      { ...callback(body, signature), method: 'GET' as const },
    ]
    for (const request of forged) assert.equal(account.parseCallback?.(request).kind, 'rejected')
  })

  it('rejects what is older or newer than five minutes, and a time that is none', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const at = (nowMs: number) => account.parseCallback?.({ ...callback(body, signature), nowMs }).kind
    assert.equal(at((SENT_AT + 300) * 1_000), 'accepted')
    assert.equal(at((SENT_AT + 301) * 1_000), 'rejected')
    assert.equal(at((SENT_AT - 301) * 1_000), 'rejected')
    assert.equal(account.parseCallback?.(callback(body, sign(body, 'soon'), 'soon')).kind, 'rejected')
    assert.equal(account.parseCallback?.(callback(body, sign(body, ''), '')).kind, 'rejected')
  })

  it('turns final statuses into receipts and others into none', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const statusOf = (report: object) => {
      const text = JSON.stringify({ request_id: '1', payload: 'dlv_01', ...report })
      const result = account.parseCallback?.(callback(text, sign(text)))
      assert.ok(result?.kind === 'accepted')
      return result.receipts.map((receipt) => receipt.status)
    }
    assert.deepEqual(statusOf({ delivery_status: { status: 'read' } }), ['delivered'])
    assert.deepEqual(statusOf({ delivery_status: { status: 'expired' } }), ['failed'])
    assert.deepEqual(statusOf({ delivery_status: { status: 'revoked' } }), ['failed'])
    assert.deepEqual(statusOf({ delivery_status: { status: 'sent' } }), [])
    assert.deepEqual(statusOf({ verification_status: { status: 'code_valid' } }), [])
  })

  it('knows the message by its id or by ours, whichever can be read', (test) => {
    const account = open(test, 'http://127.0.0.1')
    for (const [names, expected] of [
      ['"request_id":"1"', [null, '1']],
      ['"request_id":1234567890123456789,"payload":7', [null, '1234567890123456789']],
      ['"payload":"dlv_01"', ['dlv_01', null]],
      ['"request_id":null,"payload":"dlv_01"', ['dlv_01', null]],
    ] as const) {
      const text = `{${names},"delivery_status":{"status":"delivered"}}`
      const told = account.parseCallback?.(callback(text, sign(text)))
      const [receipt] = told?.kind === 'accepted' ? told.receipts : []
      assert.deepEqual([receipt?.deliveryId, receipt?.messageId], expected, names)
    }
  })

  it('rejects a signed body that is no report', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const unnamed = '{"request_id":{},"payload":null,"delivery_status":{"status":"delivered"}}'
    for (const text of ['', 'null', '{}', '[1]', unnamed]) {
      assert.equal(account.parseCallback?.(callback(text, sign(text))).kind, 'rejected', text)
    }
  })
})
