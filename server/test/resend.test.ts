import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  status,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { startTwoNodeService } from './harness/service.ts'
import { ageVerification, assertChangesNothing, getVerification } from './resend-support.ts'

const unknownOtp = 'otp_01hzzzzzzzzzzzzzzzzzzzzzzz'

const { database, nodes, close } = await startTwoNodeService()
after(close)
const [node, other] = nodes

describe('resend', () => {
  it('a plain resend issues the same code and does not prolong its life', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey)
    await ageVerification(database, otpId, 300)
    const { expires_at } = await getVerification(database, otpId)
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
    const again = await message(node, recipient, 1)
    assert.equal(again.code, code)
    assert.ok(again.ttlSeconds <= 300 && again.ttlSeconds > 240, String(again.ttlSeconds))
    assert.deepEqual((await getVerification(database, otpId)).expires_at, expires_at)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
  })

  it('a named resend issues a fresh code with 600 s of its own, and the old code is refused', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey)
    await ageVerification(database, otpId, 300)
    const before = Date.now()
    assert.equal((await resend(node, serverKey, otpId, 'telegram')).status, 200)
    const fresh = await message(node, recipient, 1)
    assert.notEqual(fresh.code, code)
    const life = (await getVerification(database, otpId)).expires_at.getTime() - before
    assert.ok(life > 595_000 && life < 660_000, `${life} ms`)
    const old = await verify(node, serverKey, otpId, code)
    assert.equal(old.body.matched, false)
    assert.equal(old.body.attempts_remaining, 4)
    assert.equal((await verify(node, serverKey, otpId, fresh.code)).body.matched, true)
  })

  it('a resend of either kind leaves the spent verify attempts spent', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey)
    for (const _ of [1, 2]) await verify(node, serverKey, otpId, wrongCode(code))
    await resend(node, serverKey, otpId)
    // A message that has not left before the next resend is never sent.
    await message(node, recipient, 1)
    await resend(node, serverKey, otpId, 'sms')
    const fresh = await message(node, recipient, 2)
    const guess = await verify(node, serverKey, otpId, wrongCode(fresh.code))
    assert.equal(guess.body.attempts_remaining, 2)
  })

  it('a fresh code has as many digits as the verification’s first, whatever the app has been set to since', async () => {
    const { serverKey, appId } = await createTenant(node)
    const { otpId, recipient } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { code_length: 8 })
    await resend(node, serverKey, otpId, 'sms')
    const fresh = await message(node, recipient, 1)
    assert.equal(fresh.code.length, 6)
    assert.equal((await verify(node, serverKey, otpId, fresh.code)).body.matched, true)
  })

  it('once the send attempts are spent a resend of either kind is refused', async () => {
    const { serverKey } = await createTenant(node, { max_sends: 3 })
    const { otpId } = await started(node, serverKey)
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
    assert.equal((await resend(node, serverKey, otpId, 'sms')).status, 200)
    assert.equal((await status(node, serverKey, otpId)).body.sends_remaining, 0)
    assert.equal((await status(node, serverKey, otpId)).body.resend_available_at, null)
    await assertChangesNothing(database, otpId, async () => {
      assertRefused(await resend(node, serverKey, otpId), 409, 'ResendNotAllowedError')
      assertRefused(await resend(node, serverKey, otpId, 'telegram'), 409, 'ResendNotAllowedError')
    })
  })

  it('no time for a resend is named that the verification does not live to see', async () => {
    for (const [cooldown, mayFollow] of [
      [59, true],
      [60, false],
      [600, false],
    ] as const) {
      const { serverKey } = await createTenant(node, { code_ttl_s: 60, resend_cooldown_s: cooldown })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      const { resend_available_at } = (await status(node, serverKey, body.otp_id)).body
      assert.equal(resend_available_at !== null, mayFollow, `a cooldown of ${cooldown} s`)
    }
  })

  it('no time for a resend is named while no channel is left for the recipient', async () => {
    const { serverKey, publishableKey, appId } = await createTenant(node, {
      routing: { default: ['sms', 'whatsapp'] },
      channels: { telegram: { enabled: false } },
    })
    const { otpId } = await started(node, serverKey)
    const allow = (sms: boolean, whatsapp: boolean) =>
      node.manage('PATCH', `/apps/${appId}`, {
        channels: { sms: { enabled: sms }, whatsapp: { enabled: whatsapp } },
      })
    const seen = async () => {
      const answers = [
        await status(node, serverKey, otpId),
        await status(node, publishableKey, otpId),
        await node.manage('GET', `/verifications/${otpId}`),
      ]
      return answers.map(({ body }) => body.resend_available_at !== null)
    }
    assert.deepEqual(await seen(), [true, true, true])
    await allow(false, true)
    assert.deepEqual(await seen(), [true, true, true])
    await allow(false, false)
    assert.deepEqual(await seen(), [false, false, false])
    assertRefused(await resend(node, serverKey, otpId), 409, 'ResendNotAllowedError')
    await allow(true, false)
    assert.deepEqual(await seen(), [true, true, true])
  })

  it('within the cooldown a resend is refused with the seconds that are left', async () => {
    const { serverKey } = await createTenant(node, { resend_cooldown_s: 300 })
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    const otpId: string = body.otp_id
    await assertChangesNothing(database, otpId, async () => {
      const early = await resend(node, serverKey, otpId)
      assertRefused(early, 429, 'ResendCooldownError')
      const { scope, retry_after } = early.body.error.details
      assert.equal(scope, 'cooldown')
      assert.ok(retry_after > 240 && retry_after <= 300, String(retry_after))
      assert.equal(early.headers.get('retry-after'), String(retry_after))
    })
    await ageVerification(database, otpId, 200)
    const seconds = Number((await resend(node, serverKey, otpId, 'sms')).headers.get('retry-after'))
    assert.ok(seconds > 40 && seconds <= 100, String(seconds))
    await ageVerification(database, otpId, 100)
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
    assertRefused(await resend(node, serverKey, otpId), 429, 'ResendCooldownError')
  })

  it('of 20 parallel resends over two nodes one goes out, and the Retry-After of the others, waited, lets the next through', async () => {
    const { serverKey } = await createTenant(node, { resend_cooldown_s: 60 })
    const { otpId, recipient } = await started(node, serverKey)
    await ageVerification(database, otpId, 60)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => resend(index % 2 ? node : other, serverKey, otpId)),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    const late = answers.filter((answer) => answer.status !== 200)
    for (const answer of late) assertRefused(answer, 429, 'ResendCooldownError')
    await message(node, recipient, 1)
    assert.equal((await getVerification(database, otpId)).sends, 2)
    const waits = late.map((answer) => Number(answer.headers.get('retry-after')))
    await ageVerification(database, otpId, Math.max(...waits))
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
    await message(node, recipient, 2)
    assert.equal((await getVerification(database, otpId)).sends, 3)
    assert.equal(node.capture.to(recipient).length, 3)
  })

  it('parallel resends without a cooldown spend exactly the send attempts that are left', async () => {
    const { serverKey } = await createTenant(node, { max_sends: 5 })
    const { otpId, recipient } = await started(node, serverKey)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => resend(index % 2 ? node : other, serverKey, otpId, 'sms')),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 4)
    assert.equal(answers.filter((answer) => answer.body.error?.type === 'ResendNotAllowedError').length, 16)
    const { code_version, sends } = await getVerification(database, otpId)
    assert.deepEqual({ code_version, sends }, { code_version: 5, sends: 5 })
    // Replaced codes may be dropped on their way; the newest always arrives.
    const newest = await until('the newest code', async () => {
      for (const captured of node.capture.to(recipient).slice(-1)) {
        const seen = await status(node, serverKey, otpId)
        if (seen.body.deliveries.every((delivery: { status: string }) => delivery.status !== 'queued'))
          return captured
      }
      return undefined
    })
    assert.ok(newest)
    const accepted = []
    for (const captured of node.capture.to(recipient)) {
      const { body } = await verify(node, serverKey, otpId, captured.code)
      if (body.matched) accepted.push(captured.code)
    }
    assert.equal(accepted.length, 1)
  })

  it('a verification that is not pending is not resent, and says what it is', async () => {
    const { serverKey } = await createTenant(node)
    const approved = await started(node, serverKey)
    await verify(node, serverKey, approved.otpId, approved.code)
    const failed = await started(node, serverKey)
    for (const _ of [1, 2, 3, 4, 5]) await verify(node, serverKey, failed.otpId, wrongCode(failed.code))
    const expired = await started(node, serverKey)
    await ageVerification(database, expired.otpId, 600)
    for (const [otpId, otpStatus] of [
      [approved.otpId, 'approved'],
      [failed.otpId, 'failed'],
      [expired.otpId, 'expired'],
    ] as const) {
      await assertChangesNothing(database, otpId, async () => {
        const answer = await resend(node, serverKey, otpId, 'sms')
        assertRefused(answer, 409, 'OtpNotPendingError')
        assert.equal(answer.body.error.details.otp_status, otpStatus)
      })
    }
  })

  it('an unknown, malformed or foreign otp_id is not found', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const foreign = await createTenant(node)
    const { otpId } = await started(node, foreign.serverKey)
    const sibling = await node.manage('POST', `/companies/${companyId}/apps`, { name: 'Sibling' })
    assert.equal(sibling.status, 201)
    for (const id of [unknownOtp, 'otp_', 'x', otpId]) {
      assertRefused(await resend(node, serverKey, id), 404, 'OtpNotFoundError')
    }
  })

  it('a body with another field, or a channel that does not exist, is refused', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    const call = (body: unknown) => node.call('POST', '/api/v1/otp/resend', { key: serverKey, body })
    assertRefused(await call({ otp_id: otpId, client_ip: '8.8.8.8' }), 422, 'ValidationError')
    assertRefused(await call({ otp_id: otpId, channel: 'pigeon' }), 422, 'ValidationError')
    assertRefused(await call({}), 422, 'ValidationError')
  })

  it('a device may resend with a publishable key', async () => {
    const { publishableKey, serverKey } = await createTenant(node)
    const { otpId, recipient } = await started(node, serverKey)
    assert.equal((await resend(node, publishableKey, otpId)).status, 200)
    await message(node, recipient, 1)
  })
})
