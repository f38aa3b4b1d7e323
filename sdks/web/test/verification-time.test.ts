import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { lost, pending, recipient, refuse, reply, sent, status, withReplies } from './fake-service.ts'

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
      () => Response.json({ ...pending, ...times }, { headers: { date: new Date(serverNow).toUTCString() } }),
    ])
    const { resendIn } = await verification.start(recipient)
    assert.ok(resendIn !== null && Math.abs(resendIn - 30) <= 1, String(resendIn))
  })

  withClock('a clock that is put back while somebody waits costs them nothing', async (pass) => {
    const replies = [sent(), status({}, { resendIn: 30, expiresIn: 60 }), status({ status: 'expired' })]
    const { verification } = withReplies(replies)
    const stop = verification.subscribe(() => undefined)
    await verification.start(recipient)
    await pass(10_000)
    const { now } = Date
    Date.now = () => now() - 3_600_000
    try {
      await pass(1_000)
      const { resendIn } = verification.getState()
      assert.ok(resendIn !== null && resendIn >= 18 && resendIn <= 21, String(resendIn))
      await pass(55_000)
      assert.equal(verification.getState().phase, 'expired')
    } finally {
      Date.now = now
      stop()
    }
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
