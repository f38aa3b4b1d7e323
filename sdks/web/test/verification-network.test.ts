import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../../e2e/harness/wait.ts'
import { answers, spoilt } from '../../answers.ts'
import {
  checked,
  lost,
  pending,
  type Reply,
  recipient,
  refuse,
  reply,
  sent,
  status,
  withReplies,
} from './fake-service.ts'

const unstreamed =
  (reply: Reply): Reply =>
  async (asked) =>
    Object.defineProperty(await reply(asked), 'body', { value: undefined })

describe('an unreliable network', { concurrency: true }, () => {
  test('a lost answer to start is asked for again with one idempotency key', async () => {
    const { verification, asked } = withReplies([lost, reply('<html>', 502), sent(), status()])
    assert.equal((await verification.start(recipient)).phase, 'waiting')
    assert.equal(new Set(asked.slice(0, 3).map(({ headers }) => headers['idempotency-key'])).size, 1)
    assert.match(asked[0]?.headers['idempotency-key'] ?? '', /^[0-9a-f]{32}$/)
  })

  test('a person who presses again after all was lost sends no second message, a later start does', async () => {
    const { verification, asked } = withReplies([lost, lost, lost, lost, sent(), status(), sent(), status()])
    const failed = await verification.start(recipient)
    assert.deepEqual(
      [failed.phase, failed.error?.type, failed.error?.status],
      ['idle', 'ConnectionError', null],
    )
    await verification.start(recipient)
    await verification.start(recipient)
    const keys = asked
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 6)
    assert.equal(new Set(keys.slice(0, 5)).size, 1)
    assert.notEqual(keys[5], keys[4])
  })

  test('another recipient is another send', async () => {
    const { verification, asked } = withReplies([refuse(422, 'InvalidRecipientError'), sent(), status()])
    await verification.start('+44')
    await verification.start(recipient)
    assert.notEqual(asked[0]?.headers['idempotency-key'], asked[1]?.headers['idempotency-key'])
  })

  test('a lost answer to verify is asked for again; when all are lost, the same code may be sent once more', async () => {
    const { verification } = withReplies([sent(), status(), lost, lost, lost, lost, lost, checked()])
    await verification.start(recipient)
    const failed = await verification.verify('123456')
    assert.deepEqual([failed.phase, failed.error?.type], ['waiting', 'ConnectionError'])
    assert.equal((await verification.verify('123456')).verificationToken, 'otp_vt_1')
  })

  test('a right code whose answer was lost still ends with its token, when a look finds it approved', async () => {
    const approved = status({ status: 'approved' })
    const replies = [sent(), status(), lost, lost, lost, lost, approved, checked()]
    const { verification, asked } = withReplies(replies)
    await verification.start(recipient)
    assert.equal((await verification.verify('123456')).phase, 'waiting')
    const { phase, verificationToken, error } = await verification.refresh()
    assert.deepEqual([phase, verificationToken, error], ['verified', 'otp_vt_1', null])
    assert.deepEqual(asked.at(-1)?.body, { otp_id: 'otp_1', code: '123456' })
  })

  test('a code that was refused is not sent again by a look', async () => {
    const refused = refuse(422, 'ValidationError')
    const { verification } = withReplies([sent(), status(), refused, status({ status: 'approved' })])
    await verification.start(recipient)
    await verification.verify('1')
    assert.equal((await verification.refresh()).phase, 'verified')
  })

  test('resend is not repeated; a look shows whether it went out', async () => {
    const { verification, asked } = withReplies([sent(), status(), lost, status({ channel: 'telegram' })])
    await verification.start(recipient)
    const state = await verification.resend({ channel: 'telegram' })
    assert.deepEqual(
      [state.phase, state.channel, state.error?.type],
      ['waiting', 'telegram', 'ConnectionError'],
    )
    assert.equal(asked.filter(({ url }) => url.endsWith('/resend')).length, 1)
    assert.deepEqual(asked[2]?.body, { otp_id: 'otp_1', channel: 'telegram' })
  })

  test('when the cooldown cannot be learnt, a resend may be tried, and is told how long to wait', async () => {
    const cooldown = refuse(429, 'ResendCooldownError', { retry_after: 17 }, { 'retry-after': '17' })
    const { verification } = withReplies([sent(), lost, cooldown, lost])
    assert.equal((await verification.start(recipient)).resendIn, 0)
    const state = await verification.resend()
    assert.deepEqual([state.phase, state.resendIn, state.error?.type], ['waiting', 17, 'ResendCooldownError'])
  })

  test('what is no number of seconds says nothing of how long to wait', async () => {
    for (const [said, retryAfter] of [
      ['17', 17],
      ['-1', null],
      ['1.5', null],
      ['soon', null],
      ['', null],
    ] as const) {
      const limit = refuse(429, 'RateLimitExceededError', {}, { 'retry-after': said })
      const { error } = await withReplies([limit]).verification.start(recipient)
      assert.equal(error?.retryAfter, retryAfter, said)
    }
  })

  test('a late answer about a verification that was given up says nothing about the next one', async () => {
    let answerLate = (): void => assert.fail('it was not asked about')
    const late = new Promise<void>((resolve) => {
      answerLate = resolve
    })
    const { verification } = withReplies([
      sent(),
      (asked) => late.then(() => status({}, { resendIn: 0 })(asked)),
      sent({ otp_id: 'otp_2' }),
      status({ otp_id: 'otp_2' }, { resendIn: 30 }),
      refuse(422, 'ValidationError'),
    ])
    const first = verification.start(recipient)
    await eventually(
      'the question',
      () => verification.getState().phase,
      (phase) => phase === 'waiting',
    )
    assert.equal((await verification.start('+447400123457')).resendIn, 30)
    answerLate()
    await first
    assert.equal((await verification.verify('1')).resendIn, 30)
  })

  test('an answer without what the state is made of is none, and leaves a way on', async () => {
    for (const [why, body] of [...spoilt(answers.send), ['nothing', {}] as const]) {
      const { verification } = withReplies([reply(body)])
      const { phase, error } = await verification.start(recipient)
      assert.deepEqual([phase, error?.type, error?.status], ['idle', 'UnexpectedAnswer', 200], why)
    }
    for (const [why, body] of spoilt(answers.verify)) {
      const { verification } = withReplies([sent(), status(), reply(body)])
      await verification.start(recipient)
      const { phase, error } = await verification.verify('123456')
      assert.deepEqual([phase, error?.type, error?.status], ['waiting', 'UnexpectedAnswer', 200], why)
    }
  })

  test('a state or a time that nobody knows is no answer', async () => {
    for (const odd of [{ status: 'odd' }, { expires_at: 'soon' }, { resend_available_at: 'soon' }]) {
      const { verification } = withReplies([reply({ ...answers.get, ...odd })])
      const { phase, error } = await verification.resume('otp_1')
      assert.deepEqual([phase, error?.type], ['idle', 'UnexpectedAnswer'], JSON.stringify(odd))
    }
  })

  test('an answer that is too long for one is not read to its end', async () => {
    let isLeft = false
    let chunks = 64
    const pull = (body: ReadableStreamDefaultController) =>
      chunks-- > 0 ? body.enqueue(new Uint8Array(65_536)) : body.close()
    const cancel = () => {
      isLeft = true
    }
    const { verification } = withReplies([() => new Response(new ReadableStream({ pull, cancel }))])
    assert.equal((await verification.start(recipient)).error?.type, 'UnexpectedAnswer')
    assert.ok(isLeft)
  })

  test('where answers do not stream, as in React Native, a whole one is taken', async () => {
    const { verification } = withReplies([unstreamed(sent()), status()])
    assert.equal((await verification.start(recipient)).phase, 'waiting')
  })

  test('there too an answer that is too long for one is none, and is not read where it says so', async () => {
    const long = `${JSON.stringify(pending)}${' '.repeat(1_048_576)}`
    let isRead = false
    const declared: Reply = () =>
      Object.assign(new Response('', { headers: { 'content-length': String(long.length) } }), {
        text: async () => {
          isRead = true
          return long
        },
      })
    for (const one of [reply(long), declared]) {
      const { verification } = withReplies([unstreamed(one)])
      assert.equal((await verification.start(recipient)).error?.type, 'UnexpectedAnswer')
    }
    assert.equal(isRead, false)
  })

  test('nonsense is an error, not a crash', async () => {
    for (const nonsense of ['<html>', '', 'null', '[', '[]', '7']) {
      const { verification } = withReplies([reply(nonsense)])
      const { phase, error } = await verification.start(recipient)
      assert.deepEqual([phase, error?.type], ['idle', 'UnexpectedAnswer'])
    }
  })

  test('a page of something in front of the service is no reason to look for another address', async () => {
    for (const [page, message] of [
      [reply('<html>'), 'Not an answer of Countersign (200). Is baseUrl right?'],
      [reply('<html>', 429), 'Something in front of Countersign answered for it (429).'],
    ] as const)
      assert.equal((await withReplies([page]).verification.start(recipient)).error?.message, message)
  })
})
