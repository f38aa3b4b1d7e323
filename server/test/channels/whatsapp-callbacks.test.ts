import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { NUMBER_ID, open, SECRET } from './whatsapp-support.ts'

function signed(body: string, secret = SECRET): CallbackRequest {
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  return {
    method: 'POST',
    token: null,
    address: '192.0.2.1',
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

  it('are parsed once, however many accounts of one app they are shown to', (test) => {
    const called = open(test, 'http://127.0.0.1', { phone_number_id: '1' })
    const others = [called, open(test, 'http://127.0.0.1'), open(test, 'http://127.0.0.1')]
    const status = { id: 'wamid.1', status: 'delivered' }
    const request = signed(notification({ statuses: [status] }))
    const parse = test.mock.method(JSON, 'parse')
    const found = others.map((account) => account.parseCallback?.(request))
    const times = parse.mock.callCount()
    parse.mock.restore()
    const counts = found.map((result) => result?.kind === 'accepted' && result.receipts.length)
    assert.deepEqual(counts, [0, 1, 1])
    assert.equal(times, 1)
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
      isShared: false,
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

  const undeliverable = { code: 131026, title: 'Message undeliverable' }
  for (const [details, code] of [
    [{ errors: null }, 'failed'],
    [{ errors: {} }, 'failed'],
    [{ errors: [null] }, 'failed'],
    [{ errors: [{ code: null }] }, 'failed'],
    [{ errors: [{ code: '131026' }] }, '131026'],
    [{ errors: [{ ...undeliverable, title: null, message: 7 }] }, '131026'],
    [{ errors: [undeliverable, 'more'] }, '131026'],
    [{ errors: [{ code: 131000, title: 'Something went wrong' }, undeliverable] }, '131026'],
    [{ errors: [undeliverable], biz_opaque_callback_data: null }, '131026'],
  ] as const) {
    it(`keeps a failure whose details are ${JSON.stringify(details)}`, (test) => {
      const statuses = [{ id: 'wamid.1', status: 'failed', ...details }]
      const { receipts } = accept(open(test, 'http://127.0.0.1'), notification({ statuses }))
      assert.deepEqual(
        receipts.map(({ messageId, status, error, unreachable }) => [
          messageId,
          status,
          error?.code,
          unreachable,
        ]),
        [['wamid.1', 'failed', code, code === '131026']],
      )
    })
  }

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
    const { inbound, receipts, isShared } = accept(
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
    assert.equal(isShared, true)
  })

  it('keeps what stands beside a field that is null or of an unknown shape', (test) => {
    const account = open(test, 'http://127.0.0.1')
    const message = { from: '14155550123', id: 'wamid.in', type: 'text', text: { body: 'hello' } }
    const status = { id: 'wamid.1', status: 'delivered' }
    for (const value of [
      { statuses: null, messages: [message] },
      { statuses: {}, messages: [message], contacts: null, errors: null },
      { messages: [{ ...message, button: null, interactive: null, context: null }] },
      { messages: [{ ...message, from: '+14155550123', button: 1, interactive: { button_reply: 7 } }] },
    ]) {
      const found = accept(account, notification(value)).inbound
      assert.deepEqual(found, [{ messageId: 'wamid.in', from: '+14155550123', text: 'hello' }])
    }
    for (const value of [
      { messages: null, statuses: [status] },
      { messages: 'none', statuses: [null, { ...status, recipient_id: null, recipient_user_id: 'US.1' }] },
    ]) {
      const found = accept(account, notification(value)).receipts
      assert.deepEqual(
        found.map(({ messageId }) => messageId),
        ['wamid.1'],
      )
    }
    const unnamed = accept(account, notification({ messages: [{ ...message, from: null }] })).inbound
    assert.deepEqual(unnamed, [{ messageId: 'wamid.in', from: null, text: 'hello' }])
  })

  it('rejects a signed body that is no notification', (test) => {
    const account = open(test, 'http://127.0.0.1')
    for (const body of ['', 'x', 'null', '[]', '{"entry":1}']) {
      assert.equal(account.parseCallback?.(signed(body)).kind, 'rejected', body)
    }
  })
})
