/** The wire of every gateway that is known, against a server that behaves as its vendor's documentation says. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { presetNames } from '../../../contract/src/providers/http/preset-names.ts'
import { presets } from '../../../contract/src/providers/http/presets.ts'
import { http } from '../../src/channels/http/index.ts'
import { json, type SeenRequest } from './http-peer.ts'
import { callback, open, openWithPeer } from './http-support.ts'
import { generousDeadline, outgoing } from './support.ts'

type Tried = readonly [status: number, answer: unknown, kind: string, messageIdOrCode?: string | null]
type Reported = readonly [body: unknown, status: string | null, id?: string, unreachable?: boolean]

interface Wire {
  /** What somebody with an account there gives. */
  readonly given: Readonly<Record<string, unknown>>
  readonly path: string
  /** Headers by which it is known who sends. */
  readonly headers: Readonly<Record<string, string | RegExp>>
  /** JSON or the fields of a form. */
  readonly body: unknown
  readonly answers: readonly Tried[]
  /** JSON, or a form where it says so. */
  readonly receipts: readonly Reported[]
  readonly reportsForms?: true
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const text = 'Your ACME code is 123456'
const token = 'receipt-secret'
/** Where a preset asks for receipts, they come to the callback address with its token. */
const callbackUrl = (name: string) => {
  const found = http.callbackToken?.(http.settings.parse(settingsOf(name, 'https://g.example')))
  return found ? `https://otp.example/callbacks/acc_1/${found}` : 'https://otp.example/callbacks/acc_1'
}
const settingsOf = (name: string, url: string) => ({
  preset: name,
  receipt_secret: token,
  ...wires[name as keyof typeof wires].given,
  base_url: url,
})

const wires: Readonly<Record<(typeof presetNames)[number], Wire>> = {
  africastalking: {
    given: { user: 'shop', secret: 'key', from: 'SHOP' },
    path: '/version1/messaging',
    headers: { apikey: 'key', accept: 'application/json' },
    body: { username: 'shop', to: '+14155550123', message: text, from: 'SHOP', bulkSMSMode: '1' },
    answers: [
      [201, at({ statusCode: 101, status: 'Success', messageId: 'ATXid_1' }), 'accepted', 'ATXid_1'],
      [201, at({ statusCode: 102, status: 'Queued', messageId: 'ATXid_2' }), 'accepted', 'ATXid_2'],
      [201, at({ statusCode: 403, status: 'InvalidPhoneNumber', messageId: 'None' }), 'refused', '403'],
      [
        201,
        at({ statusCode: 404, status: 'UnsupportedNumberType', messageId: 'None' }),
        'unreachable',
        '404',
      ],
      [201, at({ statusCode: 405, status: 'InsufficientBalance', messageId: 'None' }), 'broken', '405'],
      [201, at({ statusCode: 500, status: 'InternalServerError', messageId: 'None' }), 'retry', '500'],
      [201, { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } }, 'broken', 'InvalidSenderId'],
      [401, 'The supplied authentication is invalid', 'broken'],
    ],
    receipts: [
      [{ id: 'ATXid_1', status: 'Success', phoneNumber: '+14155550123' }, 'delivered', 'ATXid_1'],
      [{ id: 'ATXid_1', status: 'Sent' }, null],
      [{ id: 'ATXid_1', status: 'Failed', failureReason: 'DeliveryFailure' }, 'failed', 'ATXid_1', false],
      [{ id: 'ATXid_1', status: 'Failed', failureReason: 'UserDoesNotExist' }, 'failed', 'ATXid_1', true],
    ],
    reportsForms: true,
  },
  bird: {
    given: { secret: 'bk_eu1_key', from: 'Shop' },
    path: '/v1/sms/messages',
    headers: { authorization: 'Bearer bk_eu1_key', 'idempotency-key': 'dlv_01' },
    body: {
      to: '+14155550123',
      from: 'Shop',
      text,
      category: 'authentication',
      metadata: { delivery_id: 'dlv_01' },
    },
    answers: [
      [202, { id: 'sms_1', status: 'accepted', direction: 'outbound' }, 'accepted', 'sms_1'],
      [
        402,
        { error: { type: 'billing_error', code: 'E1', name: 'insufficient_balance', message: 'x' } },
        'broken',
      ],
      [401, { error: { type: 'auth_error', code: 'E2', name: 'unauthorized', message: 'x' } }, 'broken'],
      [409, { error: { type: 'conflict_error', code: 'E01004', name: 'request_in_progress' } }, 'uncertain'],
      [422, { error: { type: 'validation_error', code: 'E3', name: 'SMSNoEligibleSender' } }, 'refused'],
      [429, { error: { type: 'rate_limit_error', code: 'E4', name: 'rate_limited' } }, 'retry'],
    ],
    receipts: [
      [{ type: 'sms.delivered', data: { sms_id: 'sms_1', metadata: null } }, 'delivered', 'sms_1'],
      [{ type: 'sms.sent', data: { sms_id: 'sms_1' } }, null],
      [
        { type: 'sms.failed', data: { sms_id: 'sms_1', error: { code: 'landline_unreachable' } } },
        'failed',
        'sms_1',
        true,
      ],
      [
        { type: 'sms.rejected', data: { sms_id: 'sms_1', error: { code: 'content_rejected' } } },
        'failed',
        'sms_1',
        false,
      ],
    ],
  },
  infobip: {
    given: { secret: 'key', from: 'InfoSMS' },
    path: '/sms/3/messages',
    headers: { authorization: 'App key' },
    body: {
      messages: [
        {
          sender: 'InfoSMS',
          destinations: [{ to: '14155550123', messageId: 'dlv_01' }],
          content: { text },
          options: { validityPeriod: { amount: 600, timeUnit: 'SECONDS' } },
          webhooks: { delivery: { url: 'CALLBACK' }, contentType: 'application/json' },
        },
      ],
    },
    answers: [
      [200, infobip('PENDING', 'PENDING_ACCEPTED'), 'accepted', 'dlv_01'],
      [200, infobip('PENDING', 'MESSAGE_ACCEPTED'), 'accepted', 'dlv_01'],
      [200, infobip('REJECTED', 'REJECTED_NOT_ENOUGH_CREDITS'), 'broken', 'REJECTED_NOT_ENOUGH_CREDITS'],
      [200, infobip('REJECTED', 'REJECTED_NETWORK'), 'refused', 'REJECTED_NETWORK'],
      [
        401,
        { requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login details' } } },
        'broken',
        'UNAUTHORIZED',
      ],
      [
        400,
        { requestError: { serviceException: { messageId: 'BAD_REQUEST', text: 'x' } } },
        'refused',
        'BAD_REQUEST',
      ],
      [429, {}, 'retry'],
      [500, {}, 'retry'],
    ],
    receipts: [
      [infobipReport('DELIVERED', 'NO_ERROR'), 'delivered', 'dlv_01'],
      [infobipReport('PENDING', 'NO_ERROR'), null],
      [infobipReport('UNDELIVERABLE', 'EC_UNKNOWN_SUBSCRIBER'), 'failed', 'dlv_01', true],
      [infobipReport('EXPIRED', 'EC_ABSENT_SUBSCRIBER'), 'failed', 'dlv_01', false],
    ],
  },
  messagebird: {
    given: { secret: 'live_key', from: 'Shop' },
    path: '/messages',
    headers: { authorization: 'AccessKey live_key' },
    body: {
      originator: 'Shop',
      recipients: ['14155550123'],
      body: text,
      reference: 'dlv_01',
      validity: 600,
      datacoding: 'plain',
    },
    answers: [
      [
        201,
        { id: 'e8077d803532c0b5937c639b60216938', direction: 'mt', type: 'sms' },
        'accepted',
        'e8077d803532c0b5937c639b60216938',
      ],
      [401, messagebird(2, 'Request not allowed (incorrect access_key)'), 'broken', '2'],
      [422, messagebird(25, 'Not enough balance'), 'broken', '25'],
      [422, messagebird(9, 'no (correct) recipients found'), 'refused', '9'],
      [500, {}, 'retry'],
    ],
    receipts: [],
  },
  msg91: {
    given: { secret: 'key', account: 'template-1' },
    path: '/api/v5/flow',
    headers: { authkey: 'key' },
    body: { template_id: 'template-1', recipients: [{ mobiles: '14155550123', code: '123456' }] },
    answers: [
      [200, { type: 'success', message: '346173617a6d313131313131' }, 'accepted', '346173617a6d313131313131'],
      [200, { type: 'error', message: 'Template not found' }, 'refused', 'error'],
      [418, { type: 'error', message: 'IP not whitelisted' }, 'refused', 'error'],
      [500, {}, 'retry'],
    ],
    receipts: [
      [{ requestId: '346', number: '14155550123', status: '1', desc: 'DELIVERED' }, 'delivered', '346'],
      [{ requestId: '346', status: '2', desc: 'FAILED' }, 'failed', '346', false],
      [{ requestId: '346', status: '25', desc: 'REJECTED' }, 'failed', '346', false],
      [{ requestId: '346', status: '8', desc: 'SENT' }, null],
    ],
  },
  plivo: {
    given: { user: 'MAXXXXXXXX', secret: 'token', from: '14155550100' },
    path: '/v1/Account/MAXXXXXXXX/Message/',
    headers: { authorization: basic('MAXXXXXXXX', 'token') },
    body: { src: '14155550100', dst: '14155550123', text, url: 'CALLBACK', method: 'POST', log: false },
    answers: [
      [
        202,
        { message: 'message(s) queued', message_uuid: ['db3ce55a'], api_id: 'db342550' },
        'accepted',
        'db3ce55a',
      ],
      [400, { api_id: '1', error: 'dst is invalid' }, 'refused'],
      [401, 'Could not verify your access level for that URL.', 'broken'],
      [404, { error: 'not found' }, 'broken'],
      [429, { error: 'too many requests' }, 'retry'],
    ],
    receipts: [
      [{ MessageUUID: 'db3ce55a', Status: 'delivered', ErrorCode: '000' }, 'delivered', 'db3ce55a'],
      [{ MessageUUID: 'db3ce55a', Status: 'sent' }, null],
      [{ MessageUUID: 'db3ce55a', Status: 'undelivered', ErrorCode: '300' }, 'failed', 'db3ce55a', false],
      [{ MessageUUID: 'db3ce55a', Status: 'failed', ErrorCode: '200' }, 'failed', 'db3ce55a', false],
    ],
    reportsForms: true,
  },
  sinch: {
    given: { account: 'plan_1', secret: 'token', from: '447400000000' },
    path: '/xms/v1/plan_1/batches',
    headers: { authorization: 'Bearer token' },
    body: {
      from: '447400000000',
      to: ['+14155550123'],
      body: text,
      delivery_report: 'per_recipient_final',
      callback_url: 'CALLBACK',
      client_reference: 'dlv_01',
      expire_at: 'EXPIRES',
    },
    answers: [
      [201, { id: '01FC66621XXXXX119Z8PMV1QPQ', type: 'mt_text' }, 'accepted', '01FC66621XXXXX119Z8PMV1QPQ'],
      [
        400,
        { code: 'syntax_invalid_parameter_format', text: 'x' },
        'refused',
        'syntax_invalid_parameter_format',
      ],
      [401, {}, 'broken'],
      [403, { code: 'unauthorized', text: 'x' }, 'broken'],
      [404, {}, 'broken'],
      [429, {}, 'retry'],
    ],
    receipts: [
      [sinchReport('Delivered', 0), 'delivered', '01JHFFHQ0P99JPPNQPJDV7JTBP'],
      [sinchReport('Dispatched', 401), null],
      [sinchReport('Failed', 404), 'failed', '01JHFFHQ0P99JPPNQPJDV7JTBP', false],
      [sinchReport('Expired', 406), 'failed', '01JHFFHQ0P99JPPNQPJDV7JTBP', false],
    ],
  },
  smsgate: {
    given: { user: 'NAME', secret: 'password' },
    path: '/3rdparty/v1/messages',
    headers: { authorization: basic('NAME', 'password') },
    body: {
      id: 'dlv_01',
      textMessage: { text },
      phoneNumbers: ['+14155550123'],
      ttl: 600,
      priority: 100,
      withDeliveryReport: true,
    },
    answers: [
      [202, { id: 'dlv_01', state: 'Pending', recipients: [] }, 'accepted', 'dlv_01'],
      [400, { message: 'invalid phone number' }, 'refused'],
      [401, { message: 'Unauthorized' }, 'broken'],
      [503, { message: 'queue limits exceeded: too many pending' }, 'retry'],
    ],
    receipts: [
      [smsgateEvent('sms:delivered', {}), 'delivered', 'dlv_01'],
      [smsgateEvent('sms:sent', { partsCount: 1 }), null],
      [smsgateEvent('sms:failed', { reason: 'RESULT_ERROR_NO_SERVICE' }), 'failed', 'dlv_01', false],
    ],
  },
  sns: {
    given: { user: 'AKIDEXAMPLE', secret: 'secret', from: 'Shop', region: 'eu-west-1' },
    path: '/',
    headers: {
      authorization:
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/sns\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
    },
    body: {
      Action: 'Publish',
      Version: '2010-03-31',
      PhoneNumber: '+14155550123',
      Message: text,
      'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'Transactional',
      'MessageAttributes.entry.2.Name': 'AWS.SNS.SMS.SenderID',
      'MessageAttributes.entry.2.Value.DataType': 'String',
      'MessageAttributes.entry.2.Value.StringValue': 'Shop',
    },
    answers: [
      [
        200,
        '<PublishResponse xmlns="https://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>567910cd-659e-55d4-8ccb-5aaf14679dc0</MessageId></PublishResult></PublishResponse>',
        'accepted',
        '567910cd-659e-55d4-8ccb-5aaf14679dc0',
      ],
      [400, snsError('InvalidParameter'), 'refused', 'InvalidParameter'],
      [400, snsError('Throttling'), 'retry', 'Throttling'],
      [403, snsError('SignatureDoesNotMatch'), 'broken', 'SignatureDoesNotMatch'],
      [403, snsError('AuthorizationError'), 'broken', 'AuthorizationError'],
      [500, snsError('InternalError'), 'retry', 'InternalError'],
    ],
    receipts: [],
  },
  telnyx: {
    given: { secret: 'KEY', account: 'profile-1', from: '+14155550100' },
    path: '/v2/messages',
    headers: { authorization: 'Bearer KEY' },
    body: {
      from: '+14155550100',
      to: '+14155550123',
      text,
      messaging_profile_id: 'profile-1',
      webhook_url: 'CALLBACK',
      type: 'SMS',
    },
    answers: [
      [
        200,
        { data: { id: '40385f64', record_type: 'message', to: [{ status: 'queued' }] } },
        'accepted',
        '40385f64',
      ],
      [401, telnyxError('10009', 'Authentication failed'), 'broken', '10009'],
      [422, telnyxError('40001', 'Not routable'), 'unreachable', '40001'],
      [400, telnyxError('10002', 'Invalid phone number'), 'refused', '10002'],
      [429, telnyxError('10011', 'Too many requests'), 'retry', '10011'],
      [500, telnyxError('10007', 'Unexpected error'), 'retry', '10007'],
    ],
    receipts: [
      [telnyxEvent('message.finalized', 'delivered'), 'delivered', '40385f64'],
      [telnyxEvent('message.sent', 'sent'), null],
      [telnyxEvent('message.finalized', 'delivery_failed', '40001'), 'failed', '40385f64', true],
      [telnyxEvent('message.finalized', 'delivery_failed', '40008'), 'failed', '40385f64', false],
    ],
  },
  vonage: {
    given: { user: 'abcd1234', secret: 'secret', from: 'Shop' },
    path: '/sms/json',
    headers: { authorization: basic('abcd1234', 'secret') },
    body: {
      from: 'Shop',
      to: '14155550123',
      text,
      type: 'text',
      ttl: '600000',
      'client-ref': 'dlv_01',
      callback: 'CALLBACK',
    },
    answers: [
      [200, vonage({ status: '0', 'message-id': '0A0000000123ABCD1' }), 'accepted', '0A0000000123ABCD1'],
      [200, vonage({ status: '1', 'error-text': 'Throughput Rate Exceeded' }), 'retry', '1'],
      [200, vonage({ status: '4', 'error-text': 'Bad Credentials' }), 'broken', '4'],
      [200, vonage({ status: '9', 'error-text': 'Quota Exceeded' }), 'broken', '9'],
      [200, vonage({ status: '2', 'error-text': 'Missing to param' }), 'refused', '2'],
      [200, vonage({ status: '33', 'error-text': 'Number De-activated' }), 'unreachable', '33'],
      [500, {}, 'retry'],
    ],
    receipts: [
      [
        { messageId: '0A0', status: 'delivered', 'err-code': '0', 'client-ref': 'dlv_01' },
        'delivered',
        '0A0',
      ],
      [{ messageId: '0A0', status: 'buffered', 'err-code': '0' }, null],
      [{ messageId: '0A0', status: 'failed', 'err-code': '3' }, 'failed', '0A0', true],
      [{ messageId: '0A0', status: 'expired', 'err-code': '1' }, 'failed', '0A0', false],
    ],
  },
  // Its other side is tested with the simulator, end to end.
  simulator: {
    given: { secret: 'any-key' },
    path: '/gateway/messages',
    headers: { authorization: 'Bearer any-key' },
    body: {
      to: '+14155550123',
      from: 'Countersign',
      text,
      reference: 'dlv_01',
      callback_url: 'CALLBACK',
    },
    answers: [[200, { id: 'a', status: 'accepted' }, 'accepted', 'a']],
    receipts: [],
  },
}

function at(recipient: object) {
  return {
    SMSMessageData: {
      Message: 'Sent to 1/1',
      Recipients: [{ number: '+14155550123', cost: 'KES 0.8', ...recipient }],
    },
  }
}
function infobip(groupName: string, name: string) {
  return {
    messages: [
      { messageId: 'dlv_01', destination: '14155550123', status: { groupName, name, description: 'x' } },
    ],
  }
}
function infobipReport(groupName: string, name: string) {
  return { results: [{ messageId: 'dlv_01', to: '14155550123', status: { groupName }, error: { name } }] }
}
function messagebird(code: number, description: string) {
  return { errors: [{ code, description, parameter: null }] }
}
function sinchReport(status: string, code: number) {
  return {
    type: 'recipient_delivery_report_sms',
    batch_id: '01JHFFHQ0P99JPPNQPJDV7JTBP',
    recipient: '14155550123',
    status,
    code,
  }
}
function smsgateEvent(event: string, payload: object) {
  return { deviceId: 'f', event, id: 'E', payload: { messageId: 'dlv_01', ...payload }, webhookId: 'L' }
}
function snsError(code: string) {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>x</Message></Error></ErrorResponse>`
}
function telnyxError(code: string, title: string) {
  return { errors: [{ code, title, detail: title }] }
}
function telnyxEvent(event_type: string, status: string, code?: string) {
  const errors = code ? [{ code, title: 'x' }] : []
  return {
    data: { event_type, payload: { id: '40385f64', to: [{ phone_number: '+14155550123', status }], errors } },
  }
}
function vonage(message: object) {
  return { 'message-count': '1', messages: [{ to: '14155550123', ...message }] }
}

/** What was sent, with what differs on every run put into words. */
function bodyOf(request: SeenRequest | undefined, name: string): unknown {
  const { headers = {}, body = '' } = request ?? {}
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const sent: unknown = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
  const plain = JSON.stringify(sent)
    .replaceAll(callbackUrl(name), 'CALLBACK')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'EXPIRES')
  return JSON.parse(plain)
}

for (const name of presetNames) {
  const wire = wires[name]
  describe(presets[name].label, () => {
    it('is sent what its documentation asks for', async (test) => {
      const { peer, account } = await openWithPeer(test, {}, (url) => settingsOf(name, url))
      peer.answer = json(200, {})
      await account.send(outgoing(), generousDeadline())
      const [request] = peer.requests
      assert.equal(request?.method, 'POST')
      assert.equal(request?.url, wire.path)
      for (const [header, expected] of Object.entries(wire.headers)) {
        const value: string = String(request?.headers[header])
        if (typeof expected === 'string') assert.equal(value, expected, header)
        else assert.match(value, expected, header)
      }
      assert.deepEqual(bodyOf(request, name), wire.body)
    })

    it('is understood when it answers', async (test) => {
      const { peer, account } = await openWithPeer(test, {}, (url) => settingsOf(name, url))
      for (const [status, answer, kind, word] of wire.answers) {
        peer.answer =
          typeof answer === 'string'
            ? (response) => response.writeHead(status).end(answer)
            : json(status, answer)
        const outcome = await account.send(outgoing(), generousDeadline())
        assert.equal(outcome.kind, kind, JSON.stringify(answer))
        if (word !== undefined)
          assert.equal(outcome.kind === 'accepted' ? outcome.messageId : outcome.error.code, word)
      }
    })

    it('is understood when it reports, and asks only for what it needs', (test) => {
      const account = open(test, settingsOf(name, 'https://g.example'))
      const secret = http.callbackToken?.(http.settings.parse(settingsOf(name, 'https://g.example'))) ?? null
      const type = wire.reportsForms ? 'application/x-www-form-urlencoded' : 'application/json'
      for (const [said, status, id, unreachable = false] of wire.receipts) {
        const body = wire.reportsForms
          ? new URLSearchParams(said as Record<string, string>).toString()
          : JSON.stringify(said)
        const request = callback({
          token: secret,
          headers: { 'content-type': type },
          body: Buffer.from(body),
        })
        const result = account.parseCallback?.(request)
        assert.ok(result?.kind === 'accepted')
        const receipts = result.receipts.map((one) => [one.status, one.messageId, one.unreachable])
        assert.deepEqual(receipts, status === null ? [] : [[status, id, unreachable]], JSON.stringify(said))
      }
      const { asks, optional = [], settings } = presets[name]
      assert.equal(wire.receipts.length === 0 && name !== 'simulator', settings.receipts === 'none')
      for (const asked of Object.keys(asks)) {
        if (optional.some((one) => one === asked) || asked in settings || asked === 'base_url') continue
        assert.ok(asked in wire.given, `${asked} is given`)
      }
    })
  })
}

it('each has a page of documents that shows its call and names what it asks for', () => {
  for (const name of presetNames) {
    const page = readFileSync(new URL(`../../../docs/gateways/${name}.md`, import.meta.url), 'utf8')
    assert.ok(page.includes(`"preset": "${name}"`), name)
    for (const asked of Object.keys(presets[name].asks))
      assert.ok(page.includes(`\`${asked}\``), `${name}: ${asked}`)
  }
})

it('a sender that nobody has set is left out, and not sent empty', async (test) => {
  const { peer, account } = await openWithPeer(test, {}, (url) => ({
    ...settingsOf('africastalking', url),
    from: undefined,
  }))
  await account.send(outgoing(), generousDeadline())
  assert.equal(new URLSearchParams(peer.requests[0]?.body).has('from'), false)
})

it('a phone’s own gateway may sign its receipts, over the body and the time', (test) => {
  const account = open(test, { ...settingsOf('smsgate', 'https://g.example'), receipts: 'hmac' })
  const body = Buffer.from(JSON.stringify(smsgateEvent('sms:delivered', {})))
  const time = '1735689600'
  const signature = createHmac('sha256', token).update(body).update(time).digest('hex')
  const kindOf = (signed: string) =>
    account.parseCallback?.(
      callback({
        body,
        headers: { 'content-type': 'application/json', 'x-signature': signed, 'x-timestamp': time },
      }),
    ).kind
  assert.equal(kindOf(signature), 'accepted')
  assert.equal(kindOf(signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))), 'rejected')
})
