/** What counts as an answer of the service, and what does not. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { operations } from '@countersign/contract'
import { type Answer, answers, type Called, spoilt } from '../../answers.ts'
import { Countersign, CountersignError, createManagement, UnavailableError } from '../src/index.ts'
import { answer, answered, refuse, type Step, serve } from './scripted-server.ts'

const client = (url: string) => new Countersign('otp_sk_test', { baseUrl: url, maxRetries: 0 })
const recipient = '+447400123456'

const calls: Readonly<Record<Called, (countersign: Countersign) => Promise<unknown>>> = {
  send: ({ otp }) => otp.send({ recipient }),
  resend: ({ otp }) => otp.resend({ otpId: 'otp_1' }),
  verify: ({ otp }) => otp.verify({ otpId: 'otp_1', code: '123456' }),
  get: ({ otp }) => otp.get('otp_1'),
  exchange: ({ verifications }) => verifications.exchange('otp_vt_1'),
  decision: ({ otp }) => otp.decision('otp_1'),
  preview: ({ routing }) => routing.preview({ recipient }),
}

test('the answers that libraries are tried with are answers by the contract', () => {
  const { status: get, send, resend, verify, exchange, decision, preview } = operations
  const called = { get, send, resend, verify, exchange, decision, preview }
  for (const [name, { answer: schema }] of Object.entries(called))
    assert.deepEqual(schema.parse(answers[name as Called]), answers[name as Called])
})

async function assertUnexpected(call: Promise<unknown>, why: string): Promise<void> {
  const error = await failure(call)
  assert.ok(error instanceof CountersignError, why)
  assert.deepEqual([error.type, error.status], ['UnexpectedAnswer', 200], why)
  assert.match(error.message, /not one of Countersign/)
}

describe('an answer without what is promised of it is none', { concurrency: true }, () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async (t) => {
      const whole: Answer = answers[name as Called]
      const wrong = [...spoilt(whole), ['nothing at all', {}] as const]
      const { url } = await serve(
        t,
        ...[whole, ...wrong.map(([, body]) => body)].map((body) => answer(200, body)),
      )
      await call(client(url))
      for (const [why] of wrong) await assertUnexpected(call(client(url)), why)
    })
  }

  test('a part of a list', async (t) => {
    const steps = [{}, 7, null].map((part) => answer(200, { ...answers.get, deliveries: [part] }))
    const { url } = await serve(t, ...steps)
    for (const _ of steps) await assertUnexpected(client(url).otp.get('otp_1'), 'a delivery')
  })

  test('a refused preview is an answer, and so are words and fields of a newer service', async (t) => {
    const refused = { error: { type: 'GeoBlockedError', message: '', details: {} }, decision: [] }
    const newer = { ...answers.send, channel: 'pigeon', colour: 'red' }
    const { url } = await serve(t, answer(200, refused), answer(200, newer))
    assert.ok('error' in (await client(url).routing.preview({ recipient })))
    assert.equal((await client(url).otp.send({ recipient })).channel, 'pigeon')
  })

  test('of management', async (t) => {
    const { url } = await serve(t, answer(200, {}))
    const management = createManagement('token', { baseUrl: url })
    await assertUnexpected(management.listCompanies(), 'no companies')
    await assertUnexpected(management.getApp({ params: { app_id: 'app_1' } }), 'no app')
  })
})

describe('an answer without end is not read to its end', { concurrency: true }, () => {
  /** Writes until the connection is closed. */
  const endless =
    (status: number, hasStopped: () => void): Step =>
    (response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.on('close', hasStopped)
      const write = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    }
  async function serveEndless(t: TestContext, status: number) {
    let stop = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    return { ...(await serve(t, endless(status, stop))), stopped }
  }

  test('a success is none, and the connection is closed', async (t) => {
    const { url, stopped } = await serveEndless(t, 200)
    await assertUnexpected(client(url).otp.get('otp_1'), 'endless')
    await stopped
    const other = await serveEndless(t, 200)
    await assertUnexpected(createManagement('token', { baseUrl: other.url }).listCompanies(), 'endless')
    await other.stopped
  })

  test('nor is one that does not stream taken, where it is too long', async () => {
    const long = `${JSON.stringify(answers.send)}${' '.repeat(1_048_576)}`
    const fetch = async () => Object.defineProperty(new Response(long), 'body', { value: null })
    const made = new Countersign('otp_sk_test', { fetch })
    await assertUnexpected(made.otp.send({ recipient }), 'too long')
  })

  test('one that nests without end is none, or has a field that nobody reads', async (t) => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const newer = `${JSON.stringify(answers.send).slice(0, -1)},"newer":${nested}}`
    const { url } = await serve(t, answer(200, nested), answer(200, newer))
    await assertUnexpected(client(url).otp.send({ recipient }), 'nested')
    assert.equal((await client(url).otp.send({ recipient })).otpId, answers.send.otp_id)
  })

  test('a gateway’s page is still a service that is away', async (t) => {
    const { url, stopped } = await serveEndless(t, 502)
    const error = await failure(client(url).otp.get('otp_1'))
    assert.ok(error instanceof UnavailableError)
    // The message must not suggest a wrong address.
    assert.equal(error.message, 'Something in front of Countersign answered for it (502).')
    await stopped
  })
})

describe('an answer is an answer', { concurrency: true }, () => {
  test('500 is a bug, and repeating it does not help', async (t) => {
    const { url, received } = await serve(t, refuse(500, 'InternalError'))
    const error = await failure(client(url).otp.send({ recipient }))
    assert.ok(error instanceof CountersignError)
    assert.deepEqual(
      [error.type, error.status, error.requestId],
      ['InternalError', 500, 'req_of_the_service'],
    )
    assert.equal(received.length, 1)
  })

  test('a redirect is not followed, so the key goes nowhere else', async (t) => {
    const elsewhere = await serve(t, answered)
    const { url } = await serve(t, answer(307, '', { location: `${elsewhere.url}/api/v1/otp/send` }))
    await assert.rejects(client(url).otp.send({ recipient }), /redirect/)
    assert.equal(elsewhere.received.length, 0)
  })

  for (const nonsense of ['<html>welcome</html>', '{"otp_id":', '', 'null', '[]', '"yes"', '42']) {
    test(`200 with ${JSON.stringify(nonsense)} is no success`, async (t) => {
      const { url } = await serve(t, answer(200, nonsense))
      const error = await failure(client(url).otp.send({ recipient }))
      assert.ok(error instanceof CountersignError)
      assert.deepEqual([error.type, error.status], ['UnexpectedAnswer', 200])
    })
  }

  for (const nonsense of ['<html>', '[]', '{"error": 7}', '{"error": {"type": "__proto__"}}']) {
    test(`400 with ${nonsense} is still an error that can be read`, async (t) => {
      const { url } = await serve(t, answer(400, nonsense))
      const error = await failure(client(url).otp.send({ recipient }))
      assert.ok(error instanceof CountersignError)
      assert.equal(error.status, 400)
      assert.match(error.requestId, /^req_/)
      assert.deepEqual(error.details, {})
    })
  }
})

function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('it must not succeed'),
    (error: unknown) => error,
  )
}
