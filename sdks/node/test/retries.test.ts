import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../../e2e/harness/wait.ts'
import {
  ConnectionError,
  Countersign,
  CountersignError,
  type CountersignOptions,
  type LogEntry,
  RateLimitError,
  ResendCooldownError,
  TimeoutError,
  UnavailableError,
} from '../src/index.ts'
import { retryDelayMs } from '../src/retry.ts'
import {
  answer,
  answered,
  drop,
  dropMidway,
  type Received,
  refuse,
  serve,
  stallMidway,
  stayQuiet,
} from './scripted-server.ts'

const key = 'otp_sk_test'
const client = (url: string, options: CountersignOptions = {}) =>
  new Countersign(key, { baseUrl: url, ...options })
const away = refuse(503, 'UnavailableError', { retry_after: 1 }, { 'retry-after': '1' })
const recipient = '+447400123456'

const distinct = (received: readonly Received[], header: string) =>
  new Set(received.map(({ headers }) => headers[header])).size

describe('a call that gets no answer', { concurrency: true }, () => {
  for (const [name, trouble] of Object.entries({ drop, dropMidway })) {
    test(`${name}: send is repeated with one idempotency key and one request id`, async (t) => {
      const { url, received } = await serve(t, trouble, trouble, answered)
      const { otpId, maskedRecipient } = await client(url).otp.send({ recipient })
      assert.deepEqual([otpId, maskedRecipient], ['otp_1', '+44****56'])
      assert.equal(received.length, 3)
      assert.equal(distinct(received, 'idempotency-key'), 1)
      assert.match(String(received[0]?.headers['idempotency-key']), /^[0-9a-f-]{36}$/)
      assert.equal(distinct(received, 'x-request-id'), 1)
      assert.match(String(received[0]?.headers['x-request-id']), /^[A-Za-z0-9_-]{8,64}$/)
    })
  }

  test('two sends have two idempotency keys, and a given one is kept', async (t) => {
    const { url, received } = await serve(t, answered)
    const { otp } = client(url)
    await otp.send({ recipient })
    await otp.send({ recipient })
    await otp.send({ recipient }, { idempotencyKey: 'form-1' })
    assert.equal(distinct(received, 'idempotency-key'), 3)
    assert.equal(received[2]?.headers['idempotency-key'], 'form-1')
  })

  test('an empty idempotency key is none given: one is made up for each send', async (t) => {
    const { url, received } = await serve(t, answered)
    for (const empty of ['', null, undefined])
      await client(url).otp.send({ recipient }, { idempotencyKey: empty as undefined })
    for (const { headers } of received) assert.match(String(headers['idempotency-key']), /^[0-9a-f-]{36}$/)
    assert.equal(distinct(received, 'idempotency-key'), 3)
  })

  test('a lost answer to verify, get, decision, preview and exchange is asked for again', async (t) => {
    const { url, received } = await serve(
      t,
      drop,
      answered,
      drop,
      answered,
      drop,
      answered,
      drop,
      answered,
      drop,
      answered,
    )
    const { otp, routing, verifications } = client(url)
    assert.equal((await otp.verify({ otpId: 'otp_1', code: '012345' })).matched, false)
    await otp.get('otp_1')
    await otp.decision('otp_1')
    await routing.preview({ recipient })
    await verifications.exchange('otp_vt_x')
    assert.deepEqual(
      received.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`),
      ['POST /otp/verify', 'GET /otp/otp_1', 'GET /otp/otp_1/decision', 'POST /routing/preview']
        .concat('POST /verifications/exchange')
        .flatMap((line) => [line, line]),
    )
    assert.deepEqual(received[1]?.body, { otp_id: 'otp_1', code: '012345' })
  })

  test('resend is never repeated by itself, whatever went wrong', async (t) => {
    for (const trouble of [drop, away]) {
      const { url, received } = await serve(t, trouble, answered)
      await assert.rejects(client(url).otp.resend({ otpId: 'otp_1' }), CountersignError)
      assert.equal(received.length, 1)
    }
  })

  test('it gives up after maxRetries, with the cause and a request id to look for', async (t) => {
    const { url, received } = await serve(t, drop)
    const error = await failure(client(url, { maxRetries: 1 }).otp.get('otp_1'))
    assert.ok(error instanceof ConnectionError && !(error instanceof TimeoutError))
    assert.deepEqual([error.type, error.status, error.name], ['ConnectionError', null, 'ConnectionError'])
    assert.equal(error.requestId, received[0]?.headers['x-request-id'])
    assert.ok(error.cause)
    assert.equal(received.length, 2)
  })

  test('nobody listening is a connection error too, which says so', async () => {
    // Not one of the ports that fetch itself refuses.
    const url = 'http://127.0.0.1:4'
    const error = await failure(client(url, { maxRetries: 0 }).otp.get('otp_1'))
    assert.ok(error instanceof ConnectionError)
    assert.equal(error.message, `No answer from ${url}: ECONNREFUSED.`)
  })
})

describe('a call that takes too long', { concurrency: true }, () => {
  for (const [name, trouble] of Object.entries({ stayQuiet, stallMidway })) {
    test(`${name}: each attempt has timeoutMs, then it is repeated`, async (t) => {
      const { url, received } = await serve(t, trouble, answered)
      assert.equal((await client(url, { timeoutMs: 1_500 }).otp.send({ recipient })).otpId, 'otp_1')
      // At least two: on a busy machine the second may be late too.
      assert.ok(received.length >= 2, String(received.length))
    })
  }

  test('after the retries it is a TimeoutError, which is also a ConnectionError', async (t) => {
    const { url } = await serve(t, stayQuiet)
    const error = await failure(client(url, { timeoutMs: 50, maxRetries: 1 }).otp.get('otp_1'))
    assert.ok(error instanceof TimeoutError && error instanceof ConnectionError)
    assert.match(error.message, /50 ms/)
  })

  test('a caller who gives up is obeyed at once, during a call and between two', async (t) => {
    const reason = new Error('the person left')
    const awayForLonger = refuse(503, 'UnavailableError', {}, { 'retry-after': '5' })
    for (const trouble of [stayQuiet, awayForLonger]) {
      const { url, received } = await serve(t, trouble)
      const leaving = new AbortController()
      const heard: unknown[] = []
      const logged: string[] = []
      const logger = ({ event }: LogEntry) => logged.push(event)
      const options = { signal: leaving.signal, onAnswer: (answered: unknown) => heard.push(answered) }
      const call = failure(client(url, { logger }).otp.get('otp_1', options))
      await eventually('the moment', () => (trouble === stayQuiet ? received : heard).length, Boolean)
      leaving.abort(reason)
      assert.equal(await call, reason)
      assert.equal(received.length, 1)
      assert.deepEqual(logged, [trouble === stayQuiet ? 'failure' : 'retry'])
    }

    const { url, received } = await serve(t, answered)
    const before = AbortSignal.abort(reason)
    assert.equal(await failure(client(url).otp.send({ recipient }, { signal: before })), reason)
    assert.equal(received.length, 0)
  })
})

describe('a service that is away', { concurrency: true }, () => {
  test('503 is repeated, and not before Retry-After', async (t) => {
    const { url, received } = await serve(t, away, answered)
    const start = performance.now()
    await client(url).otp.send({ recipient })
    assert.ok(performance.now() - start >= 1_000)
    assert.equal(received.length, 2)
  })

  test('a Retry-After longer than anybody waits is left to the caller', async (t) => {
    const { url, received } = await serve(t, refuse(503, 'UnavailableError', {}, { 'retry-after': '60' }))
    const error = await failure(client(url).otp.send({ recipient }))
    assert.ok(error instanceof UnavailableError)
    assert.equal(error.retryAfter, 60)
    assert.equal(received.length, 1)
  })

  test("a gateway's 502 and 504 are the same, whatever page they bring", async (t) => {
    const { url, received } = await serve(t, answer(502, '<html>'), answer(504, ''), answered)
    assert.equal((await client(url).otp.send({ recipient })).otpId, 'otp_1')
    assert.equal(received.length, 3)
  })

  test('delays double, differ, and keep to the time asked for', () => {
    const error = new Error()
    assert.deepEqual(
      [0, 1, 2, 3, 4, 9].map((retries) => retryDelayMs(error, retries, () => 1)),
      [250, 500, 1_000, 2_000, 4_000, 4_000],
    )
    assert.equal(
      retryDelayMs(error, 0, () => 0),
      125,
    )
    const facts = { type: '', message: '', status: 503, requestId: '', details: {} }
    assert.equal(
      retryDelayMs(new UnavailableError(facts, 3), 0, () => 0),
      3_000,
    )
  })
})

describe('a limit', { concurrency: true }, () => {
  const limited = (seconds: number) => {
    const details = { scope: 'app', retry_after: seconds }
    return refuse(429, 'RateLimitExceededError', details, { 'retry-after': String(seconds) })
  }

  test('429 with a short Retry-After is repeated, and not before it', async (t) => {
    const { url, received } = await serve(t, limited(1), answered)
    const start = performance.now()
    assert.equal((await client(url).otp.send({ recipient })).otpId, 'otp_1')
    assert.ok(performance.now() - start >= 1_000)
    assert.equal(distinct(received, 'idempotency-key'), 1)
    assert.equal(received.length, 2)
  })

  test('429 that stays is a RateLimitError after the retries', async (t) => {
    const { url, received } = await serve(t, limited(1))
    const error = await failure(client(url, { maxRetries: 1 }).otp.send({ recipient }))
    assert.ok(error instanceof RateLimitError)
    assert.deepEqual([error.retryAfter, error.scope], [1, 'app'])
    assert.equal(received.length, 2)
  })

  test('429 with a long Retry-After is not repeated: it says how long to wait, and whose limit it is', async (t) => {
    const details = { scope: 'recipient', retry_after: 598 }
    const { url, received } = await serve(
      t,
      refuse(429, 'RateLimitExceededError', details, { 'retry-after': '598' }),
    )
    const error = await failure(client(url).otp.send({ recipient }))
    assert.ok(error instanceof RateLimitError)
    assert.deepEqual([error.retryAfter, error.scope, error.status], [598, 'recipient', 429])
    assert.deepEqual(error.details, details)
    assert.equal(received.length, 1)
  })

  test('a cooldown is not waited for: a resend is never repeated', async (t) => {
    const cooldown = refuse(429, 'ResendCooldownError', { scope: 'cooldown' }, { 'retry-after': '1' })
    const { url, received } = await serve(t, cooldown, answered)
    const error = await failure(client(url).otp.resend({ otpId: 'otp_1' }))
    assert.ok(error instanceof ResendCooldownError)
    assert.deepEqual([error.retryAfter, error.status], [1, 429])
    assert.equal(received.length, 1)
  })
})

function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('it must not succeed'),
    (error: unknown) => error,
  )
}
