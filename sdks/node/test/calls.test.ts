/** The options of a single call, and what it reports. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers as scripted } from '../../answers.ts'
import { readWritten } from '../../written.ts'
import {
  Countersign,
  type LogEntry,
  OtpNotFoundError,
  type RawAnswer,
  TimeoutError,
  UnavailableError,
} from '../src/index.ts'
import { answered, refuse, serve, stayQuiet } from './scripted-server.ts'

const away = refuse(503, 'UnavailableError')
const recipient = '+447400123456'

test('a call has a timeout and retries of its own', async (t) => {
  const quiet = await serve(t, stayQuiet)
  const patient = new Countersign('otp_sk_a', { baseUrl: quiet.url, timeoutMs: 600_000 })
  const options = { timeoutMs: 20, maxRetries: 0 }
  await assert.rejects(patient.otp.send({ recipient }, options), TimeoutError)
  assert.ok(quiet.received.length <= 1)
  const broken = await serve(t, away, answered)
  const eager = new Countersign('otp_sk_a', { baseUrl: broken.url })
  await assert.rejects(eager.otp.get('otp_1', { maxRetries: 0 }), UnavailableError)
  assert.equal(broken.received.length, 1)
  await assert.rejects(eager.otp.get('otp_1', { timeoutMs: 0 }), TypeError)
  await assert.rejects(eager.otp.get('otp_1', { maxRetries: 11 }), TypeError)
})

test('a call gives its answers as they came, refusals too', async (t) => {
  const { url } = await serve(t, away, answered, refuse(404, 'OtpNotFoundError'))
  const { otp } = new Countersign('otp_sk_a', { baseUrl: url })
  const answers: RawAnswer[] = []
  const options = { onAnswer: (raw: RawAnswer) => answers.push(raw) }
  await otp.send({ recipient }, options)
  await assert.rejects(otp.get('otp_1', options), OtpNotFoundError)
  assert.deepEqual(
    answers.map(({ status, attempts }) => [status, attempts]),
    [
      [503, 1],
      [200, 2],
      [404, 1],
    ],
  )
  assert.deepEqual(answers[1]?.body, scripted.send)
  assert.equal(answers[1]?.headers['x-more'], 'yes')
})

test('what the caller’s own function throws is thrown as it is, and nothing is repeated', async (t) => {
  const { url, received } = await serve(t, answered)
  const { otp } = new Countersign('otp_sk_a', { baseUrl: url })
  const own = new Error('mine')
  const onAnswer = () => {
    throw own
  }
  await assert.rejects(otp.get('otp_1', { onAnswer }), (error) => error === own)
  assert.equal(received.length, 1)
})

test('a logger hears of each attempt, without key, code or recipient, and cannot break a call', async (t) => {
  const { url } = await serve(t, away, answered, refuse(404, 'OtpNotFoundError'))
  const entries: LogEntry[] = []
  const logger = (entry: LogEntry) => {
    entries.push(entry)
    throw new Error('a logger that fails')
  }
  const { otp } = new Countersign('otp_sk_secret', { baseUrl: url, logger })
  await otp.send({ recipient })
  await assert.rejects(otp.verify({ otpId: 'otp_1', code: '123456' }), OtpNotFoundError)
  assert.deepEqual(
    entries.map(({ event, method, path, attempt, status }) => [event, method, path, attempt, status]),
    [
      ['retry', 'POST', '/otp/send', 1, 503],
      ['answer', 'POST', '/otp/send', 2, 200],
      ['failure', 'POST', '/otp/verify', 1, 404],
    ],
  )
  assert.equal(new Set(entries.map(({ requestId }) => requestId)).size, 2)
  assert.ok(entries.every(({ durationMs }) => durationMs >= 0))
  assert.doesNotMatch(JSON.stringify(entries), /secret|123456/)
})

test('recipients and codes are read as people write them', async (t) => {
  const { url, received } = await serve(t, answered)
  const { otp, routing } = new Countersign('otp_sk_a', { baseUrl: url })
  const { recipients, codes } = await readWritten()
  const sentLast = () => received.at(-1)?.body as Record<string, unknown>
  for (const [written, read] of recipients) {
    await otp.send({ recipient: written })
    assert.equal(sentLast().recipient, read)
    await routing.preview({ recipient: written })
    assert.equal(sentLast().recipient, read)
  }
  for (const [written, read] of codes) {
    await otp.verify({ otpId: 'otp_1', code: written })
    assert.equal(sentLast().code, read)
  }
})
