import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, mock, test } from 'node:test'
import { type WebhookEvent, type WebhookProblem, WebhookVerificationError, webhooks } from '../src/index.ts'

// The clock is stopped, so that both ends of the tolerance can be tested to the second.
const now = 1_800_000_000
before(() => mock.timers.enable({ apis: ['Date'], now: now * 1_000 }))
after(() => mock.timers.reset())

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789ab'
const event: WebhookEvent = {
  id: 'evt_1',
  type: 'delivery.failed',
  payload: { otpId: 'otp_1', deliveryId: 'dlv_1', status: 'failed' },
}
const wire =
  '{"id":"evt_1","type":"delivery.failed","payload":{"otp_id":"otp_1","delivery_id":"dlv_1","status":"failed"}}'
const signed = (body: string, key = secret, atSeconds = now) => ({
  'x-webhook-timestamp': String(atSeconds),
  'x-webhook-signature': createHmac('sha256', key).update(`${atSeconds}.${body}`).digest('hex'),
})

describe('what is accepted', () => {
  test('a signature made by other means, whatever form the body and the headers have', async () => {
    const headers = signed(wire)
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const bytes = new TextEncoder().encode(wire)
    // A view into a larger buffer, as Node's bodies are.
    const view = Buffer.concat([Buffer.from('xxx'), bytes, Buffer.from('yyy')]).subarray(3, 3 + bytes.length)
    for (const body of [wire, bytes, bytes.buffer, Buffer.from(wire), view]) {
      for (const form of [
        headers,
        upper,
        new Headers(headers),
        { ...headers, host: undefined, via: ['a', 'b'] },
      ])
        assert.deepEqual(await webhooks.verify(body, form, secret), event)
    }
  })

  test('letters beyond ASCII are signed as the bytes that arrived', async () => {
    const body = wire.replace('evt_1', 'evt_é漢🙂')
    const { id } = await webhooks.verify(Buffer.from(body), signed(body), secret)
    assert.equal(id, 'evt_é漢🙂')
  })

  test('any of several secrets', async () => {
    const accepted = await webhooks.verify(wire, signed(wire), ['whsec_new', secret])
    assert.equal(accepted.id, 'evt_1')
  })

  test('after a rotation, the old secret by the signature of the previous one', async () => {
    const { rawBody, headers } = await webhooks.signTestPayload({
      event,
      secret: 'whsec_new',
      previousSecret: secret,
    })
    for (const held of [secret, 'whsec_new', ['whsec_other', secret]])
      assert.deepEqual(await webhooks.verify(rawBody, headers, held), event)
  })

  test('an event of a type that this package does not know yet', async () => {
    const body = '{"id":"evt_9","type":"otp.renamed","payload":{"otp_id":"otp_1"},"extra_field":1}'
    const accepted: unknown = await webhooks.verify(body, signed(body), secret)
    const payload = { otpId: 'otp_1' }
    assert.deepEqual(accepted, { id: 'evt_9', type: 'otp.renamed', payload, extraField: 1 })
  })

  test('a clock that is within the tolerance, either way', async () => {
    for (const at of [now - 300, now + 300]) await webhooks.verify(wire, signed(wire, secret, at), secret)
    await webhooks.verify(wire, signed(wire, secret, now - 500), secret, { toleranceSeconds: 600 })
  })
})

describe('what is refused', () => {
  const good = signed(wire)
  const flipped = good['x-webhook-signature'].replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const listed = '{"id":"evt_1","type":"x","payload":[]}'
  const cases: [string, WebhookProblem, string, Record<string, string | string[]>][] = [
    ['no headers', 'missing_header', wire, {}],
    ['no timestamp', 'missing_header', wire, { 'x-webhook-signature': good['x-webhook-signature'] }],
    ['no signature', 'missing_header', wire, { 'x-webhook-timestamp': good['x-webhook-timestamp'] }],
    ['two signatures', 'missing_header', wire, { ...good, 'x-webhook-signature': [flipped, flipped] }],
    ['one under two spellings', 'missing_header', wire, { ...good, 'X-Webhook-Signature': flipped }],
    ['another secret', 'mismatch', wire, signed(wire, 'whsec_other')],
    ['one changed digit', 'mismatch', wire, { ...good, 'x-webhook-signature': flipped }],
    ['a shortened signature', 'mismatch', wire, { ...good, 'x-webhook-signature': flipped.slice(0, 32) }],
    ['an empty signature', 'mismatch', wire, { ...good, 'x-webhook-signature': '' }],
    ['a signature that is no hex', 'mismatch', wire, { ...good, 'x-webhook-signature': 'z'.repeat(64) }],
    ['a changed body', 'mismatch', wire.replace('otp_1', 'otp_2'), good],
    ['a body with one more space', 'mismatch', `${wire} `, good],
    ['another timestamp', 'mismatch', wire, { ...good, 'x-webhook-timestamp': String(now - 7) }],
    ['an old request', 'stale', wire, signed(wire, secret, now - 301)],
    ['one from the future', 'stale', wire, signed(wire, secret, now + 301)],
    ['a timestamp in milliseconds', 'stale', wire, signed(wire, secret, now * 1000)],
    ['a timestamp that is no number', 'stale', wire, { ...good, 'x-webhook-timestamp': 'NaN' }],
    ['signed nonsense', 'malformed', 'hello', signed('hello')],
    ['a signed null', 'malformed', 'null', signed('null')],
    ['a signed list for a payload', 'malformed', listed, signed(listed)],
    [
      'a signed event without a payload',
      'malformed',
      '{"id":"evt_1","type":"x"}',
      signed('{"id":"evt_1","type":"x"}'),
    ],
  ]
  for (const [name, reason, body, headers] of cases) {
    test(`${name}: ${reason}`, async () => {
      await assert.rejects(
        webhooks.verify(body, headers, secret),
        (error: unknown) => error instanceof WebhookVerificationError && error.reason === reason,
      )
    })
  }

  test('a tolerance of zero makes no request fresh for ever', async () => {
    await assert.rejects(
      webhooks.verify(wire, signed(wire, secret, now - 2), secret, { toleranceSeconds: 0 }),
    )
  })

  test('a mistake of the receiver is a TypeError: a parsed body, a secret that is not set or has more around it', async () => {
    await assert.rejects(webhooks.verify(JSON.parse(wire), good, secret), TypeError)
    for (const unset of [
      '',
      [],
      [''],
      undefined as unknown as string,
      [secret, ''],
      `${secret}\n`,
      ` ${secret}`,
    ])
      await assert.rejects(webhooks.verify(wire, signed(wire, ''), unset), {
        name: 'TypeError',
        message: /secret.*alone.*line break/,
      })
  })
})

test('a test payload is byte for byte what the service sends', async () => {
  const { rawBody, headers } = await webhooks.signTestPayload({
    event,
    secret,
    timestamp: new Date(1_700_000_000_999),
  })
  assert.equal(rawBody, wire)
  assert.deepEqual(headers, { 'content-type': 'application/json', ...signed(wire, secret, 1_700_000_000) })
})
