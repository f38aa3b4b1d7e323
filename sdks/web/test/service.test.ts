/** The package against the service itself, with people who use the simulator's phones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPhone, newRecipient } from '../../../e2e/harness/people.ts'
import { useService as startService } from '../../../e2e/harness/service.ts'
import { channels, codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { createVerification, type VerificationOptions, type VerificationState } from '../src/index.ts'

const service = startService()

async function newDevice(settings: Record<string, unknown>, options: Partial<VerificationOptions> = {}) {
  const { createApp, running } = service()
  const app = await createApp(settings)
  const key = await app.createKey('publishable')
  return { app, verification: createVerification({ key, baseUrl: running.url, ...options }) }
}

const exchange = async (key: string, token: string | null) => {
  const body = { verification_token: token }
  const answer = await service().caller.call<{ recipient: string }>(
    'POST',
    '/api/v1/verifications/exchange',
    {
      key,
      body,
    },
  )
  return answer.body.recipient
}

describe('a person with a device', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`${channel}: a wrong code, then the right one; the backend exchanges the token`, async () => {
      const { app, verification } = await newDevice({ routing: { default: [channel] } })
      const recipient = newRecipient(channel)
      const waiting = await verification.start(recipient, { locale: 'en' })
      assert.deepEqual(facts(waiting), ['waiting', channel, 'code', null])
      assert.equal(waiting.resendIn, 0)
      assert.ok(Date.parse(waiting.expiresAt ?? '') > Date.now())
      const code = codeIn((await service().simulator.arrived(recipient, channel)).text)
      const wrong = await verification.verify(code === '000000' ? '000001' : '000000')
      assert.deepEqual([wrong.phase, wrong.isCodeWrong, wrong.attemptsRemaining], ['waiting', true, 4])
      const { phase, verificationToken } = await verification.verify(code)
      assert.equal(phase, 'verified')
      assert.match(verificationToken ?? '', /^otp_vt_/)
      assert.equal(await exchange(app.key, verificationToken), recipient)
    })
  }

  const linkApp = (mode: string) => ({
    routing: { default: ['whatsapp', 'sms'] },
    channels: { whatsapp: { mode } },
  })
  /** What WhatsApp does with the link, and the person with the text in it. */
  const tap = (recipient: string) => async (url: string) => {
    const { pathname, searchParams } = new URL(url)
    await service().simulator.write(recipient, `+${pathname.slice(1)}`, searchParams.get('text') ?? '')
  }

  test('link_code: the message is answered with the code', async () => {
    const recipient = newPhone()
    const { app, verification } = await newDevice(linkApp('link_code'), { openUrl: tap(recipient) })
    const waiting = await verification.start(recipient)
    assert.deepEqual(facts(waiting).slice(0, 3), ['waiting', 'whatsapp', 'code'])
    verification.openWhatsApp()
    const code = codeIn((await service().simulator.arrived(recipient, 'whatsapp')).text)
    const { phase, verificationToken } = await verification.verify(code)
    assert.equal(phase, 'verified')
    assert.equal(await exchange(app.key, verificationToken), recipient)
  })

  test('link_inbound: the message approves, and the screen learns it by itself', async () => {
    const recipient = newPhone()
    const { app, verification } = await newDevice(linkApp('link_inbound'), { openUrl: tap(recipient) })
    const stop = verification.subscribe(() => undefined)
    const waiting = await verification.start(recipient)
    assert.deepEqual(facts(waiting).slice(0, 3), ['waiting', 'whatsapp', 'inbound'])
    assert.equal((await verification.verify('123456')).error?.type, 'CodeNotExpectedError')
    verification.openWhatsApp()
    const { otpId, verificationToken } = await eventually(
      'the screen knows',
      verification.getState,
      ({ phase }) => phase === 'verified',
    )
    stop()
    assert.equal(verificationToken, null)
    assert.equal((await app.status(otpId ?? '')).status, 'approved')
  })

  test('off the link: another channel by name ends it, and a code comes', async () => {
    const recipient = newPhone()
    const { verification } = await newDevice(linkApp('link_inbound'))
    await verification.start(recipient)
    const moved = await verification.resend({ channel: 'sms' })
    assert.deepEqual(facts(moved), ['waiting', 'sms', 'code', null])
    const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
    assert.equal((await verification.verify(code)).phase, 'verified')
  })

  test('a resend within the cooldown is refused, and says how long it takes', async () => {
    const { verification } = await newDevice({ resend_cooldown_s: 300, routing: { default: ['sms'] } })
    const waiting = await verification.start(newPhone())
    assert.ok((waiting.resendIn ?? 0) > 200, String(waiting.resendIn))
    const early = await verification.resend()
    assert.deepEqual([early.phase, early.error?.type], ['waiting', 'ResendCooldownError'])
    assert.ok((early.resendIn ?? 0) > 200, String(early.resendIn))
  })

  test('a resend moves on once the cooldown is counted down, and begins the next', async () => {
    const { app, verification } = await newDevice({
      resend_cooldown_s: 1,
      routing: { default: ['sms', 'telegram'] },
    })
    const stop = verification.subscribe(() => undefined)
    await verification.start(newPhone())
    await eventually('zero', verification.getState, ({ resendIn }) => resendIn === 0)
    await app.change({ resend_cooldown_s: 300 })
    const moved = await verification.resend()
    assert.deepEqual([moved.phase, moved.channel, moved.error], ['waiting', 'telegram', null])
    assert.ok((moved.resendIn ?? 0) > 200, String(moved.resendIn))
    stop()
  })

  test('one that the backend started is finished on the device', async () => {
    const { app, verification } = await newDevice({ routing: { default: ['sms'] } })
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    assert.deepEqual(facts(await verification.resume(otpId)), ['waiting', 'sms', 'code', null])
    const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
    const { verificationToken } = await verification.verify(code)
    assert.equal(await exchange(app.key, verificationToken), recipient)
  })

  test('what the service refuses is an error on the screen', async () => {
    const { verification } = await newDevice({ routing: { default: ['sms'] } })
    assert.equal((await verification.start('+44')).error?.type, 'InvalidRecipientError')
    assert.equal((await verification.start('ann@example.com')).error?.type, 'NoEnabledChannelError')
    assert.equal((await verification.resume('otp_unknown')).error?.type, 'OtpNotFoundError')
  })
})

describe('a service whose answers get lost', { concurrency: 4 }, () => {
  /** A fetch that loses answers: the service acts, but its next answers do not arrive. */
  function losing(count: { left: number }): typeof fetch {
    return async (...request) => {
      const response = await fetch(...request)
      if (count.left <= 0) return response
      count.left--
      throw new TypeError('connection reset')
    }
  }

  test('start: one message, however often it was asked for', async () => {
    const lost = { left: 2 }
    const { verification } = await newDevice({ routing: { default: ['sms'] } }, { fetch: losing(lost) })
    const recipient = newPhone()
    assert.equal((await verification.start(recipient)).phase, 'waiting')
    await service().simulator.arrived(recipient, 'sms')
    assert.equal((await service().simulator.messages(recipient)).length, 1)
  })

  test('verify: the same token in the end, by itself or when the person presses again', async () => {
    for (const left of [1, 5]) {
      const lost = { left: 0 }
      const { app, verification } = await newDevice(
        { routing: { default: ['sms'] } },
        { fetch: losing(lost) },
      )
      const recipient = newPhone()
      await verification.start(recipient)
      const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
      lost.left = left
      if (left > 4) assert.equal((await verification.verify(code)).error?.type, 'ConnectionError')
      const { phase, verificationToken } = await verification.verify(code)
      assert.equal(phase, 'verified')
      assert.equal(await exchange(app.key, verificationToken), recipient)
    }
  })
})

const facts = ({ phase, channel, completion, actionUrl }: VerificationState) => [
  phase,
  channel,
  completion,
  actionUrl,
]
