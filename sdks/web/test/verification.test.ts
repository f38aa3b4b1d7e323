import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { createVerification } from '../src/index.ts'
import { checked, lost, refuse, reply, sent, status, withReplies, wrong } from './fake-service.ts'

const recipient = '+447400123456'

test('only a publishable key is taken, and a server key is named as the danger that it is', () => {
  const baseUrl = 'https://codes.example'
  assert.throws(() => createVerification({ key: 'otp_sk_secret', baseUrl }), {
    name: 'TypeError',
    message: /server key.*revoke/s,
  })
  for (const key of ['', 'abc', undefined as unknown as string])
    assert.throws(() => createVerification({ key, baseUrl }), /publishable key/)
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

  test('nonsense is an error, not a crash', async () => {
    for (const nonsense of ['<html>', '', 'null', '[', '7']) {
      const { verification } = withReplies([reply(nonsense)])
      const { phase, error } = await verification.start(recipient)
      assert.deepEqual([phase, error?.type], ['idle', 'UnexpectedAnswer'])
    }
  })
})

describe('time', () => {
  const flush = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const withClock = (name: string, work: (pass: (ms: number) => Promise<void>) => Promise<void>) =>
    test(name, async () => {
      mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_800_000_000_000 })
      try {
        await work(async (ms) => {
          for (let passed = 0; passed < ms; passed += 100) {
            mock.timers.tick(100)
            await flush()
          }
        })
      } finally {
        mock.timers.reset()
      }
    })

  withClock('the countdown goes down each second and stops at zero', async (pass) => {
    const { verification } = withReplies([sent(), status({}, { resendIn: 3 })])
    const seen: (number | null)[] = []
    const stop = verification.subscribe(() => seen.push(verification.getState().resendIn))
    await verification.start(recipient)
    await pass(6_000)
    stop()
    assert.deepEqual(
      seen.filter((value, index) => value !== null && value !== seen[index - 1]),
      [3, 2, 1, 0],
    )
  })

  withClock('where no resend can follow there is no countdown', async (pass) => {
    const { verification } = withReplies([sent(), status({}, { resendIn: null })])
    const stop = verification.subscribe(() => undefined)
    await verification.start(recipient)
    await pass(2_000)
    assert.equal(verification.getState().resendIn, null)
    stop()
  })

  withClock('a device whose clock is wrong counts by the service', async () => {
    const serverNow = Date.now() + 3_600_000
    const iso = (seconds: number) => new Date(serverNow + seconds * 1000).toISOString()
    const times = { resend_available_at: iso(30), expires_at: iso(600) }
    const { verification } = withReplies([
      sent(),
      () =>
        Response.json({ ...sentBody, ...times }, { headers: { date: new Date(serverNow).toUTCString() } }),
    ])
    const { resendIn } = await verification.start(recipient)
    assert.ok(resendIn !== null && Math.abs(resendIn - 30) <= 1, String(resendIn))
  })

  withClock(
    'a code that is not entered expires on the screen, and is asked about only then',
    async (pass) => {
      const { verification, asked } = withReplies([
        sent(),
        status({}, { expiresIn: 60 }),
        status({ status: 'expired' }),
      ])
      const stop = verification.subscribe(() => undefined)
      await verification.start(recipient)
      await pass(59_000)
      assert.deepEqual([verification.getState().phase, asked.length], ['waiting', 2])
      await pass(2_000)
      assert.deepEqual([verification.getState().phase, asked.length], ['expired', 3])
      await pass(60_000)
      assert.equal(asked.length, 3)
      stop()
    },
  )

  const link = { channel: 'whatsapp', completion: 'inbound', action_url: 'https://wa.me/1?text=a' } as const
  withClock(
    'an inbound approval is asked for less and less often, at most every ten seconds',
    async (pass) => {
      const { verification, asked } = withReplies([sent(link), status(link)])
      const stop = verification.subscribe(() => undefined)
      await verification.start(recipient)
      await pass(10_000)
      const early = asked.length
      assert.ok(early >= 4 && early <= 6, String(early))
      await pass(50_000)
      assert.ok(asked.length - early <= 9, String(asked.length - early))
      stop()
      const before = asked.length
      await pass(60_000)
      assert.equal(asked.length, before, 'nobody listens, nobody asks')
    },
  )

  withClock('troubles of the network do not end the waiting; a revoked key does', async (pass) => {
    const { verification } = withReplies([
      sent(link),
      status(link),
      lost,
      reply('', 500),
      status({ ...link, status: 'approved' }),
    ])
    const stop = verification.subscribe(() => undefined)
    await verification.start(recipient)
    await pass(15_000)
    const { phase, verificationToken, otpId } = verification.getState()
    assert.deepEqual([phase, verificationToken, otpId], ['verified', null, 'otp_1'])
    stop()

    const revoked = withReplies([sent(link), status(link), refuse(401, 'HTTPException')])
    const stopToo = revoked.verification.subscribe(() => undefined)
    await revoked.verification.start(recipient)
    await pass(5_000)
    assert.equal(revoked.verification.getState().phase, 'failed')
    stopToo()
  })

  withClock('an answer that takes too long is given up and asked for again', async (pass) => {
    let aborted = 0
    const silent = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => {
          aborted++
          reject(new DOMException('aborted', 'AbortError'))
        }),
      )
    const { verification } = withReplies([sent()], { fetch: silent })
    const starting = verification.start(recipient)
    await pass(60_000)
    assert.equal((await starting).error?.type, 'TimeoutError')
    assert.equal(aborted, 4)
  })
})

const sentBody = {
  otp_id: 'otp_1',
  status: 'pending',
  channel: 'sms',
  masked_recipient: '+44****56',
  action_url: null,
  completion: 'code',
}
