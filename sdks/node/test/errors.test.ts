import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import type { ErrorName, operations } from '@countersign/contract'
import { answers } from '../../answers.ts'
import * as sdk from '../src/index.ts'
import { Countersign, CountersignError } from '../src/index.ts'
import { refusalOf } from '../src/refusal.ts'

type V1 = 'send' | 'resend' | 'verify' | 'status' | 'decision' | 'preview' | 'exchange'
type OfEveryCall = 'Unauthorized' | 'ValidationError' | 'UnavailableError' | 'InternalError'
type Refusal = Extract<ErrorName, (typeof operations)[V1]['errors'][number] | OfEveryCall>

/** Every refusal that `/api/v1` declares; it does not compile if one is missing. */
const classes = {
  Unauthorized: [401, 'HTTPException', 'AuthenticationError'],
  // A token's 404 has no type of its own; only `exchange` can tell it from others.
  TokenNotFound: [404, 'HTTPException', 'CountersignError'],
  ValidationError: [422, 'ValidationError', 'ValidationError'],
  InvalidRecipientError: [422, 'InvalidRecipientError', 'InvalidRecipientError'],
  InvalidIdempotencyKeyError: [422, 'InvalidIdempotencyKeyError', 'ValidationError'],
  InsufficientFundsError: [402, 'InsufficientFundsError', 'InsufficientFundsError'],
  AppPausedError: [403, 'AppPausedError', 'AppPausedError'],
  GeoBlockedError: [403, 'GeoBlockedError', 'GeoBlockedError'],
  IpReputationBlockedError: [403, 'IpReputationBlockedError', 'IpReputationBlockedError'],
  RuleBlockedError: [403, 'RuleBlockedError', 'RuleBlockedError'],
  RecipientBlockedError: [403, 'RecipientBlockedError', 'RecipientBlockedError'],
  NoEnabledChannelError: [409, 'NoEnabledChannelError', 'NoEnabledChannelError'],
  RateLimitExceededError: [429, 'RateLimitExceededError', 'RateLimitError'],
  ResendNotAllowedError: [409, 'ResendNotAllowedError', 'ResendNotAllowedError'],
  ResendCooldownError: [429, 'ResendCooldownError', 'ResendCooldownError'],
  OtpNotFoundError: [404, 'OtpNotFoundError', 'OtpNotFoundError'],
  OtpNotPendingError: [409, 'OtpNotPendingError', 'OtpNotPendingError'],
  CodeNotExpectedError: [409, 'CodeNotExpectedError', 'CodeNotExpectedError'],
  UnavailableError: [503, 'UnavailableError', 'UnavailableError'],
  InternalError: [500, 'InternalError', 'CountersignError'],
} as const satisfies Record<Refusal, readonly [number, string, keyof typeof sdk]>

for (const [name, [status, type, className]] of Object.entries(classes)) {
  test(`${name} is a ${className}`, () => {
    const body = { error: { type, message: 'why', details: { a: 1 } }, request_id: 'req_1' }
    const error = refusalOf(new Response(null, { status }), body, 'req_sent')
    assert.equal(error.constructor, new Map<string, unknown>(Object.entries(sdk)).get(className))
    assert.ok(error instanceof CountersignError && error instanceof Error)
    const { message, requestId, details } = error
    assert.deepEqual(
      { name: error.name, type: error.type, status: error.status, message, requestId, details },
      { name: className, type, status, message: 'why', requestId: 'req_1', details: { a: 1 } },
    )
  })
}

test('a key that cannot work is refused when the client is made, and not shown', () => {
  assert.throws(() => new Countersign('otp_pk_abc'), /publishable key/)
  for (const wrong of ['', 'secret-of-something-else', 'otp_sk_a\n', undefined as unknown as string]) {
    assert.throws(
      () => new Countersign(wrong),
      (error: unknown) =>
        error instanceof TypeError &&
        /^(?!.*secret-of-something-else).*alone.*line break/.test(error.message),
    )
  }
})

test('printing a client does not print its key', () => {
  assert.doesNotMatch(inspect(new Countersign('otp_sk_hidden'), { depth: 9, showHidden: true }), /hidden/)
  assert.doesNotMatch(JSON.stringify(new Countersign('otp_sk_hidden')), /hidden/)
})

test('baseUrl may end in slashes or the version, have a path, and must be a web address', async () => {
  const seen: string[] = []
  const fetch = async (url: unknown) => {
    seen.push(String(url))
    return Response.json(answers.get)
  }
  for (const baseUrl of [
    'https://a.example',
    'https://a.example//',
    'https://a.example/api/v1/',
    'https://a.example/codes/',
  ])
    await new Countersign('otp_sk_a', { baseUrl, fetch }).otp.get('otp_/../1')
  assert.deepEqual(seen, [
    'https://a.example/api/v1/otp/otp_%2F..%2F1',
    'https://a.example/api/v1/otp/otp_%2F..%2F1',
    'https://a.example/api/v1/otp/otp_%2F..%2F1',
    'https://a.example/codes/api/v1/otp/otp_%2F..%2F1',
  ])
  for (const baseUrl of [
    'https://a.example\r',
    'a.example',
    'https://',
    'https:///codes',
    'https://:3000',
    'https://a.example/?a=b',
    'https://a.example:99999',
    'https://a.example:port',
    'https://[::1',
  ])
    assert.throws(() => new Countersign('otp_sk_a', { baseUrl }), /baseUrl .*line break/, baseUrl)
  // A password would appear in every error message.
  assert.throws(
    () => new Countersign('otp_sk_a', { baseUrl: 'https://user:hidden@a.example' }),
    (error: unknown) => error instanceof TypeError && !error.message.includes('hidden'),
  )
  // What `process.env` gives for a variable that is not set: the key must not go to whatever listens on this machine.
  for (const unset of [undefined, null, '']) {
    const options = { baseUrl: unset } as unknown as { baseUrl: string }
    assert.throws(() => new Countersign('otp_sk_a', options), /baseUrl/)
  }
})

test('a field that is not read is refused before anything is sent, with the name that was probably meant', async () => {
  const fetch = () => assert.fail('nothing is sent')
  const { otp, routing } = new Countersign('otp_sk_a', { fetch })
  // As somebody writes them without types.
  const mistyped = (fields: object) => fields as never
  const person = { recipient: '+447400123456' }
  for (const [call, says] of [
    [
      () => otp.send(mistyped({ ...person, client_ip: '198.51.100.7' })),
      /no client_ip\. Did you mean clientIp\?/,
    ],
    [
      () => otp.send(mistyped({ ...person, clientIP: '198.51.100.7' })),
      /no clientIP\. Did you mean clientIp\?/,
    ],
    [
      () => otp.send(mistyped({ ...person, channel: 'sms' })),
      /no channel\. It has recipient, locale, clientIp\./,
    ],
    [() => otp.send(person, mistyped({ idempotency_key: 'a' })), /options has no idempotency_key/],
    [() => otp.resend(mistyped({ otp_id: 'otp_1' })), /no otp_id\. Did you mean otpId\?/],
    [() => otp.verify(mistyped({ otp_id: 'otp_1', code: '123456' })), /no otp_id\. Did you mean otpId\?/],
    [() => otp.get('otp_1', mistyped({ timeout: 5 })), /no timeout\. It has signal, timeoutMs/],
    [() => routing.preview(mistyped({ ...person, client_ip: '198.51.100.7' })), /Did you mean clientIp\?/],
    [() => otp.send('+447400123456' as never), /must be an object with recipient/],
    [() => otp.send(undefined as never), /must be an object with recipient/],
  ] as const)
    await assert.rejects(call(), (error: unknown) => error instanceof TypeError && says.test(error.message))
  const management = sdk.createManagement('token', { fetch })
  await assert.rejects(
    management.createCompany(mistyped({ name: 'A' })),
    /no name\. It has params, query, body\./,
  )
  // A wrapper that passes on what is not set is not refused for it, but for what is missing.
  await assert.rejects(
    otp.get('', mistyped({ retries: undefined })),
    (error) => !/retries/.test(String(error)),
  )
  const mistypedUrl = { baseURL: 'https://a.example' } as never
  assert.throws(() => new Countersign('otp_sk_a', mistypedUrl), /no baseURL\. Did you mean baseUrl\?/)
  assert.throws(() => sdk.createManagement('token', mistypedUrl), /no baseURL\. Did you mean baseUrl\?/)
})

test('options, ids and idempotency keys that cannot work are refused before anything is sent', async () => {
  for (const options of [
    { timeoutMs: 0 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
  ])
    assert.throws(() => new Countersign('otp_sk_a', options), TypeError)
  const fetch = () => assert.fail('nothing is sent')
  const { otp } = new Countersign('otp_sk_a', { fetch })
  for (const otpId of ['', '.', '..', undefined as unknown as string]) {
    await assert.rejects(otp.get(otpId), /^TypeError: otpId/)
    await assert.rejects(otp.decision(otpId), /^TypeError: otpId/)
  }
  for (const idempotencyKey of ['schlüssel\n', 'ключ', 'a b'])
    await assert.rejects(otp.send({ recipient: '+447400123456' }, { idempotencyKey }), /ASCII/)
})
