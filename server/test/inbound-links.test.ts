/** The life of a link that approves: it works once at most, and ends when it expires, is replaced or is left. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, message, resend, status, verify } from './harness/fixtures.ts'
import { attemptsSpent, eventTypes } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { linkSettings, linksOf } from './inbound-support.ts'

const service = await startTwoNodeService()
after(service.close)
const { database, nodes } = service
const tenant = await createTenant(nodes[0], { ...linkSettings('link_inbound'), max_sends: 10 })
const { linked, stateOf, assertNothingHappened, assertApprovedOnce } = linksOf(service, tenant)

test('an expired link approves nothing', async () => {
  const { otpId, recipient, text } = await linked()
  await database.query(
    "update verifications set expires_at = now() - interval '1 second' where otp_id = $1",
    [otpId],
  )
  await write(nodes[0], { from: recipient, text })
  assert.equal(await stateOf(otpId), 'expired')
  assert.deepEqual(await eventTypes(database, otpId), [])
})

test('a message replayed after the approval changes nothing, nor does it approve the next verification', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-replayed' })
  const first = (await status(nodes[0], tenant.serverKey, otpId)).body
  const next = await linked(recipient)
  for (let again = 0; again < 3; again++)
    await write(nodes[0], { from: recipient, text, messageId: 'wamid-replayed' })
  await write(nodes[0], { from: recipient, text })
  await assertApprovedOnce(otpId)
  assert.deepEqual((await status(nodes[0], tenant.serverKey, otpId)).body, first)
  await assertNothingHappened(next.otpId)
})

test('moving to another channel ends the link: its message approves nothing, the fresh code does', async () => {
  const { otpId, recipient, text } = await linked()
  const moved = await resend(nodes[0], tenant.serverKey, otpId, 'sms')
  assert.deepEqual([moved.body.channel, moved.body.action_url, moved.body.completion], ['sms', null, 'code'])
  await write(nodes[0], { from: recipient, text })
  await assertNothingHappened(otpId)
  const { code } = await message(nodes[0], recipient)
  assert.equal((await verify(nodes[0], tenant.serverKey, otpId, code)).body.matched, true)
  await assertApprovedOnce(otpId)
})

test('a new link ends the one before; a plain resend gives the same one again', async () => {
  const { otpId, recipient, text, answer } = await linked()
  assert.deepEqual((await resend(nodes[0], tenant.serverKey, otpId)).body, answer)
  const replaced = await resend(nodes[0], tenant.serverKey, otpId, 'whatsapp')
  assert.notEqual(replaced.body.action_url, answer.action_url)
  await write(nodes[0], { from: recipient, text })
  await assertNothingHappened(otpId)
  await write(nodes[0], { from: recipient, text: linkText(replaced.body.action_url) })
  await assertApprovedOnce(otpId)
})

test('two messages at once, on two nodes, are one approval and one event', async () => {
  for (let round = 0; round < 30; round++) {
    const { otpId, recipient, text } = await linked()
    await Promise.all(
      [0, 1, 0, 1].map((index) => write(nodes[index === 0 ? 0 : 1], { from: recipient, text })),
    )
    await assertApprovedOnce(otpId)
  }
})

test('a message beside a move to SMS and its typed code: one approval, one event, whichever was first', async () => {
  for (let round = 0; round < 30; round++) {
    const { otpId, recipient, text } = await linked()
    const [moved] = await Promise.all([
      resend(nodes[1], tenant.serverKey, otpId, 'sms'),
      write(nodes[0], { from: recipient, text }),
    ])
    if (moved.status === 200) {
      await assertNothingHappened(otpId)
      const { code } = await message(nodes[0], recipient)
      const [typed] = await Promise.all([
        verify(nodes[0], tenant.serverKey, otpId, code),
        write(nodes[1], { from: recipient, text }),
      ])
      assert.equal(typed.body.matched, true)
    } else {
      assert.deepEqual(moved.body.error.details, { otp_status: 'approved' })
    }
    await assertApprovedOnce(otpId)
  }
})

test('a code is not expected while a message is, and costs nothing; afterwards the verification is approved', async () => {
  const { otpId, recipient, text } = await linked()
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const early = await verify(nodes[0], key, otpId, '123456')
    assert.equal(early.status, 409)
    assert.equal(early.body.error.type, 'CodeNotExpectedError')
  }
  assert.equal(await attemptsSpent(database, otpId), 0)
  await write(nodes[0], { from: recipient, text })
  const late = await verify(nodes[0], tenant.publishableKey, otpId, '123456')
  assert.equal(late.status, 409)
  assert.equal(late.body.error.type, 'OtpNotPendingError')
  assert.deepEqual(late.body.error.details, { otp_status: 'approved' })
})

test('once expired, a code on a link is refused as expired', async () => {
  const { otpId } = await linked()
  await database.query(
    "update verifications set expires_at = now() - interval '1 second' where otp_id = $1",
    [otpId],
  )
  const late = await verify(nodes[0], tenant.serverKey, otpId, '123456')
  assert.deepEqual(late.body.error.details, { otp_status: 'expired' })
})
