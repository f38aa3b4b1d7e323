import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createVerification } from '../src/index.ts'
import { checked, recipient, refuse, sent, status, withReplies, wrong } from './fake-service.ts'

test('only a publishable key is taken, and a server key is named as the danger that it is', () => {
  const baseUrl = 'https://codes.example'
  assert.throws(() => createVerification({ key: 'otp_sk_secret', baseUrl }), {
    name: 'TypeError',
    message: /server key.*revoke/s,
  })
  for (const key of ['', 'abc', 'otp_pk_a\n', undefined as unknown as string])
    assert.throws(() => createVerification({ key, baseUrl }), /publishable key.*alone.*line break/)
  assert.equal(createVerification({ key: 'otp_pk_a', baseUrl }).getState().phase, 'idle')
})

describe('phases', () => {
  test('start, a wrong code, the right code: every phase is seen once, in order', async () => {
    const { verification, asked } = withReplies([sent(), status(), wrong(4), checked()])
    const phases: string[] = []
    const stop = verification.subscribe(() => {
      const { phase } = verification.getState()
      if (phases.at(-1) !== phase) phases.push(phase)
    })
    const waiting = await verification.start(recipient, { locale: 'de' })
    assert.deepEqual(
      [waiting.otpId, waiting.channel, waiting.maskedRecipient, waiting.resendIn],
      ['otp_1', 'sms', '+44****56', 30],
    )
    const again = await verification.verify('000000')
    assert.deepEqual([again.isCodeWrong, again.attemptsRemaining, again.verificationToken], [true, 4, null])
    const done = await verification.verify(' 123-456 ')
    assert.deepEqual([done.verificationToken, done.isCodeWrong], ['otp_vt_1', false])
    stop()
    assert.deepEqual(phases, ['sending', 'waiting', 'verifying', 'waiting', 'verifying', 'verified'])
    assert.deepEqual(
      asked.map(({ method, url }) => `${method} ${url}`),
      [
        'POST https://codes.example/api/v1/otp/send',
        'GET https://codes.example/api/v1/otp/otp_1',
        'POST https://codes.example/api/v1/otp/verify',
        'POST https://codes.example/api/v1/otp/verify',
      ],
    )
    assert.deepEqual(asked[0]?.body, { recipient, locale: 'de' })
    assert.deepEqual(asked[3]?.body, { otp_id: 'otp_1', code: '123456' })
    assert.equal(asked[0]?.headers.authorization, 'Bearer otp_pk_a')
  })

  test('a state is never changed in place, and stays the same while nothing happens', async () => {
    const { verification } = withReplies([sent(), status()])
    const before = verification.getState()
    const after = await verification.start(recipient)
    assert.equal(before.phase, 'idle')
    assert.equal(verification.getState(), after)
  })

  test('the last wrong code is the end', async () => {
    const { verification } = withReplies([sent(), status(), wrong(0)])
    await verification.start(recipient)
    const { phase, attemptsRemaining } = await verification.verify('000000')
    assert.deepEqual([phase, attemptsRemaining], ['failed', 0])
  })

  for (const [otpStatus, phase] of [
    ['expired', 'expired'],
    ['failed', 'failed'],
    ['approved', 'failed'],
  ] as const) {
    test(`a code for one that is ${otpStatus} leads to ${phase}`, async () => {
      const over = refuse(409, 'OtpNotPendingError', { otp_status: otpStatus })
      const { verification } = withReplies([sent(), status(), over])
      await verification.start(recipient)
      const state = await verification.verify('123456')
      assert.deepEqual([state.phase, state.error?.type], [phase, 'OtpNotPendingError'])
    })
  }

  test('a refused start goes back to idle with the reason; the next start forgets it', async () => {
    const limit = refuse(429, 'RateLimitExceededError', { scope: 'recipient' }, { 'retry-after': '598' })
    const { verification } = withReplies([limit, sent(), status()])
    const refused = await verification.start(recipient)
    assert.deepEqual(
      [refused.phase, refused.error?.type, refused.error?.retryAfter, refused.error?.requestId],
      ['idle', 'RateLimitExceededError', 598, 'req_1'],
    )
    const waiting = await verification.start(recipient)
    assert.deepEqual([waiting.phase, waiting.error], ['waiting', null])
  })

  test('a code of the wrong length is an error, and the person may try again', async () => {
    const { verification } = withReplies([sent(), status(), refuse(422, 'ValidationError')])
    await verification.start(recipient)
    const { phase, error } = await verification.verify('1')
    assert.deepEqual([phase, error?.type], ['waiting', 'ValidationError'])
  })

  test('a code that is no text is refused before anything changes', async () => {
    const { verification } = withReplies([sent(), status(), checked()])
    await verification.start(recipient)
    await assert.rejects(verification.verify(123456 as unknown as string), TypeError)
    assert.equal(verification.getState().phase, 'waiting')
    assert.equal((await verification.verify('123456')).phase, 'verified')
  })

  test('digits of other scripts are digits', async () => {
    const { verification, asked } = withReplies([sent(), status(), checked()])
    await verification.start(recipient)
    await verification.verify('٠١٢ ۳۴۵')
    assert.equal(asked[2]?.body?.code, '012345')
  })

  test('a second click joins the first, and a click out of place does nothing', async () => {
    const { verification, asked } = withReplies([sent(), status(), checked()])
    assert.equal((await verification.verify('123456')).phase, 'idle')
    assert.equal((await verification.resend()).phase, 'idle')
    verification.openWhatsApp()
    await Promise.all([verification.start(recipient), verification.start(recipient)])
    assert.equal(asked.filter(({ url }) => url.endsWith('/send')).length, 1)
    await Promise.all([verification.verify('123456'), verification.verify('123456')])
    assert.equal(asked.filter(({ url }) => url.endsWith('/verify')).length, 1)
    assert.equal((await verification.verify('123456')).phase, 'verified')
    assert.equal((await verification.resend()).phase, 'verified')
    assert.equal(asked.filter(({ url }) => url.endsWith('/verify')).length, 1)
  })

  test('a code that is entered while a resend is under way waits for it', async () => {
    const { verification, asked } = withReplies([
      (request) => (request.url.endsWith('/verify') ? checked() : request.body ? sent() : status())(request),
    ])
    await verification.start(recipient)
    const resending = verification.resend()
    assert.equal(verification.getState().phase, 'sending')
    assert.equal(verification.getState().otpId, 'otp_1')
    await verification.verify('123456')
    await resending
    assert.equal(verification.getState().phase, 'verified')
    assert.deepEqual(
      asked.map(({ url }) => url.split('/').at(-1)).filter((name) => name !== 'otp_1'),
      ['send', 'resend', 'verify'],
    )
  })

  test('after reset an answer that is still on its way changes nothing', async () => {
    const { verification } = withReplies([sent(), status()])
    const starting = verification.start(recipient)
    verification.reset()
    await starting
    assert.deepEqual([verification.getState().phase, verification.getState().otpId], ['idle', null])
  })

  test('a verification that the backend started is resumed where it is', async () => {
    for (const [answered, phase] of [
      ['pending', 'waiting'],
      ['approved', 'verified'],
      ['expired', 'expired'],
      ['failed', 'failed'],
    ] as const) {
      const { verification, asked } = withReplies([status({ status: answered })])
      assert.equal((await verification.resume('otp_1')).phase, phase)
      assert.equal(asked[0]?.method, 'GET')
    }
    const { verification } = withReplies([refuse(404, 'OtpNotFoundError')])
    assert.equal((await verification.resume('otp_x')).phase, 'failed')
  })
})
