/** What a guess may do, and what it never does. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  createKey,
  createTenant,
  message,
  resend,
  send,
  started,
  status,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { attemptsSpent, eventTypes } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)
const tenant = await createTenant(node)

const guess = (otpId: string, code: unknown, key = tenant.serverKey) => verify(node, key, otpId, code)

function assertNotPending(answer: Awaited<ReturnType<typeof guess>>, otpStatus: string): void {
  assert.equal(answer.status, 409, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'OtpNotPendingError')
  assert.deepEqual(answer.body.error.details, { otp_status: otpStatus })
}

test('a wrong code is an answer with the attempts left, and the last one is failed', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  for (const left of [4, 3, 2, 1, 0]) {
    const answer = await guess(otpId, wrongCode(code))
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      otp_id: otpId,
      status: left > 0 ? 'pending' : 'failed',
      matched: false,
      channel: 'sms',
      attempts_remaining: left,
      verified_at: null,
      verification_token: null,
    })
  }
  assertNotPending(await guess(otpId, code), 'failed')
  assertNotPending(await resend(node, tenant.serverKey, otpId), 'failed')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
})

test('the right code approves once: a token for a publishable key, none for a server key', async () => {
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const { otpId, code } = await started(node, tenant.serverKey)
    const { body } = await guess(otpId, code, key)
    assert.deepEqual(
      { ...body, verified_at: null, verification_token: null },
      {
        otp_id: otpId,
        status: 'approved',
        matched: true,
        channel: 'sms',
        attempts_remaining: 5,
        verified_at: null,
        verification_token: null,
      },
    )
    assert.match(body.verified_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    if (key === tenant.serverKey) assert.equal(body.verification_token, null)
    else assert.match(body.verification_token, /^otp_vt_[0-9a-z]{52}$/)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
  }
})

test('a cap of N lets the N-th attempt succeed', async () => {
  for (let cap = 1; cap <= 10; cap++) {
    const { serverKey } = await createTenant(node, { max_verify_attempts: cap })
    const { otpId, code } = await started(node, serverKey)
    for (let wrong = 1; wrong < cap; wrong++) {
      assert.equal((await guess(otpId, wrongCode(code), serverKey)).body.status, 'pending')
    }
    const answer = await guess(otpId, code, serverKey)
    assert.equal(answer.body.status, 'approved')
    assert.equal(answer.body.attempts_remaining, 1)
  }
})

test('no resend, channel change or new send refills the attempts', async () => {
  const { otpId, code, recipient } = await started(node, tenant.serverKey)
  await guess(otpId, wrongCode(code))
  await guess(otpId, wrongCode(code))
  let newest = code
  for (const [index, channel] of [undefined, 'sms', 'telegram', 'whatsapp'].entries()) {
    assert.equal((await resend(node, tenant.serverKey, otpId, channel)).status, 200)
    assert.equal((await status(node, tenant.serverKey, otpId)).body.attempts_remaining, 3)
    newest = (await message(node, recipient, index + 1)).code
  }
  assert.equal((await send(node, tenant.serverKey, { recipient })).status, 200)
  assert.deepEqual(
    [(await guess(otpId, wrongCode(newest))).body, (await guess(otpId, wrongCode(newest))).body].map(
      (body) => body.attempts_remaining,
    ),
    [2, 1],
  )
  assert.equal((await guess(otpId, wrongCode(newest))).body.status, 'failed')
})

test('a plain resend issues the same code again; a named channel makes a fresh one, and only that counts', async () => {
  const { otpId, code, recipient } = await started(node, tenant.serverKey)
  await resend(node, tenant.serverKey, otpId)
  assert.equal((await message(node, recipient, 1)).code, code)
  await resend(node, tenant.serverKey, otpId, 'sms')
  const fresh = (await message(node, recipient, 2)).code
  if (fresh !== code) assert.equal((await guess(otpId, code)).body.matched, false)
  assert.equal((await guess(otpId, fresh)).body.matched, true)
})

test('a code is worth nothing from the instant its life is over, and the attempt costs nothing', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await database.query(
    "update verifications set expires_at = clock_timestamp() + interval '300 milliseconds' where otp_id = $1",
    [otpId],
  )
  await until(
    'expiry, which no job has to bring about',
    async () => (await status(node, tenant.serverKey, otpId)).body.status === 'expired',
  )
  assertNotPending(await guess(otpId, code), 'expired')
  assertNotPending(await guess(otpId, wrongCode(code)), 'expired')
  assertNotPending(await resend(node, tenant.serverKey, otpId), 'expired')
  assertNotPending(await resend(node, tenant.serverKey, otpId, 'sms'), 'expired')
  assert.equal(await attemptsSpent(database, otpId), 0)
  assert.deepEqual(await eventTypes(database, otpId), [])
})

test('a plain resend does not prolong a code’s life; a fresh code has its own', async () => {
  const { otpId } = await started(node, tenant.serverKey)
  const expiresAt = async () => Date.parse((await status(node, tenant.serverKey, otpId)).body.expires_at)
  await database.query(
    "update verifications set expires_at = expires_at - interval '300 seconds' where otp_id = $1",
    [otpId],
  )
  const first = await expiresAt()
  await resend(node, tenant.serverKey, otpId)
  assert.equal(await expiresAt(), first)
  await resend(node, tenant.serverKey, otpId, 'sms')
  assert.ok((await expiresAt()) - first >= 299_000)
})

test('the right code again from the same key is answered the same, and nothing happens twice', async () => {
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const { otpId, code } = await started(node, tenant.serverKey)
    const first = await guess(otpId, code, key)
    for (let again = 0; again < 3; again++) assert.deepEqual((await guess(otpId, code, key)).body, first.body)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
    assert.equal(await attemptsSpent(database, otpId), 0)
  }
})

test('after approval another key, of either kind, gets 409 and no token', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, code, tenant.publishableKey)
  for (const key of [
    tenant.serverKey,
    await createKey(node, tenant.appId, 'server'),
    await createKey(node, tenant.appId, 'publishable'),
  ]) {
    assertNotPending(await guess(otpId, code, key), 'approved')
  }
})

test('after approval a wrong code is 409 and spends; the right one has the same answer until all are spent, then 409 and no token', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, wrongCode(code), tenant.publishableKey)
  const first = await guess(otpId, code, tenant.publishableKey)
  assert.equal(first.body.attempts_remaining, 4)
  for (const spent of [2, 3, 4]) {
    assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
    assert.equal(await attemptsSpent(database, otpId), spent)
    assert.deepEqual((await guess(otpId, code, tenant.publishableKey)).body, first.body)
    assert.equal((await status(node, tenant.serverKey, otpId)).body.attempts_remaining, 5 - spent)
  }
  assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
  assertNotPending(await guess(otpId, code, tenant.publishableKey), 'approved')
  assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
  assert.equal(await attemptsSpent(database, otpId), 5)
  assert.equal((await status(node, tenant.serverKey, otpId)).body.status, 'approved')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
})

test('a repeat of the right code ends with the token’s lifetime', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, code, tenant.publishableKey)
  await database.query(
    "update verifications set replay_until = now() - interval '1 second' where otp_id = $1",
    [otpId],
  )
  assertNotPending(await guess(otpId, code, tenant.publishableKey), 'approved')
})
