/** A WhatsApp message that is answered with the code: only to the recipient, and only a few times. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, freshPhone, message, resend, status, verify } from './harness/fixtures.ts'
import { eventTypes } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { linkSettings, linksOf } from './inbound-support.ts'

const service = await startTwoNodeService()
after(service.close)
const { database, nodes } = service
const tenant = await createTenant(nodes[0], linkSettings('link_code'))
const links = linksOf(service, tenant)

async function linked(recipient?: string) {
  const made = await links.linked(recipient)
  assert.equal(made.answer.completion, 'code')
  return made
}

/** Deliveries are written before the callback is answered, so no more can follow. */
const deliveries = async (otpId: string) =>
  (await status(nodes[0], tenant.serverKey, otpId)).body.deliveries as { channel: string }[]

test('the recipient’s message is answered with the code, as a reply, and the code approves', async () => {
  const { otpId, recipient, text } = await linked()
  assert.deepEqual(await deliveries(otpId), [])
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-first' })
  const reply = await message(nodes[0], recipient)
  assert.equal(reply.channel, 'whatsapp')
  assert.equal(reply.inReplyTo, 'wamid-first')
  assert.deepEqual(await eventTypes(database, otpId), [], 'the message itself approves nothing')
  const answer = await verify(nodes[0], tenant.serverKey, otpId, reply.code)
  assert.equal(answer.body.matched, true)
  assert.equal(answer.body.channel, 'whatsapp')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
})

test('a reply goes to the recipient’s own spelling of the number', async () => {
  const { recipient, text } = await linked('+5531987654321')
  await write(nodes[0], { from: '+553187654321', text, messageId: 'wamid-brazil' })
  assert.equal((await message(nodes[0], recipient)).inReplyTo, 'wamid-brazil')
})

test('a reply is a delivery but no send attempt, and prolongs nothing', async () => {
  const { otpId, recipient, text } = await linked()
  const before = (await status(nodes[0], tenant.serverKey, otpId)).body
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-counted' })
  await message(nodes[0], recipient)
  const { body } = await status(nodes[0], tenant.serverKey, otpId)
  assert.equal(body.deliveries.length, 1)
  assert.equal(body.sends_remaining, before.sends_remaining)
  assert.equal(body.expires_at, before.expires_at)
  const [reply] = await database.query<{ give_up_at: Date }>(
    'select give_up_at from deliveries where otp_id = $1',
    [otpId],
  )
  assert.equal(reply?.give_up_at.toISOString(), body.expires_at, 'it is given up when its code is over')
})

test('a webhook that comes many times, on both nodes at once, is one message and one reply', async () => {
  const { otpId, recipient, text } = await linked()
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      write(nodes[index % 2 === 0 ? 0 : 1], { from: recipient, text, messageId: 'wamid-same' }),
    ),
  )
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-same' })
  assert.equal((await deliveries(otpId)).length, 1)
})

test('a person who writes again gets the same code again, three times at most for one link', async () => {
  const { otpId, recipient, text } = await linked()
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      write(nodes[index % 2 === 0 ? 0 : 1], { from: recipient, text, messageId: `wamid-${index}` }),
    ),
  )
  assert.equal((await deliveries(otpId)).length, 3)
  await message(nodes[0], recipient, 2)
  const codes = nodes[0].capture.to(recipient).map((captured) => captured.code)
  assert.equal(new Set(codes).size, 1)
})

test('a new link of the verification has its own replies and a fresh code, and the old link has none', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-old' })
  const old = await message(nodes[0], recipient)
  const replaced = await resend(nodes[0], tenant.serverKey, otpId, 'whatsapp')
  await write(nodes[0], { from: recipient, text, messageId: 'wamid-old-again' })
  assert.equal((await deliveries(otpId)).length, 1)
  await write(nodes[0], { from: recipient, text: linkText(replaced.body.action_url), messageId: 'wamid-new' })
  const fresh = await message(nodes[0], recipient, 1)
  assert.equal(fresh.inReplyTo, 'wamid-new')
  if (fresh.code !== old.code) {
    assert.equal((await verify(nodes[0], tenant.serverKey, otpId, old.code)).body.matched, false)
  }
  assert.equal((await verify(nodes[0], tenant.serverKey, otpId, fresh.code)).body.matched, true)
})

test('strangers, nobody, the late and the finished get no reply', async () => {
  const foreign = await linked()
  await write(nodes[0], { from: freshPhone(), text: foreign.text, messageId: 'wamid-stranger' })
  await write(nodes[0], { from: null, text: foreign.text, messageId: 'wamid-nobody' })
  assert.deepEqual(await deliveries(foreign.otpId), [])

  const late = await linked()
  await database.query(
    "update verifications set expires_at = now() - interval '1 second' where otp_id = $1",
    [late.otpId],
  )
  await write(nodes[0], { from: late.recipient, text: late.text, messageId: 'wamid-late' })
  assert.deepEqual(await deliveries(late.otpId), [])

  const finished = await linked()
  await write(nodes[0], { from: finished.recipient, text: finished.text, messageId: 'wamid-in-time' })
  const { code } = await message(nodes[0], finished.recipient)
  await verify(nodes[0], tenant.serverKey, finished.otpId, code)
  await write(nodes[0], { from: finished.recipient, text: finished.text, messageId: 'wamid-after' })
  assert.equal((await deliveries(finished.otpId)).length, 1)

  const moved = await linked()
  await resend(nodes[0], tenant.serverKey, moved.otpId, 'sms')
  await write(nodes[0], { from: moved.recipient, text: moved.text, messageId: 'wamid-moved' })
  assert.deepEqual(
    (await deliveries(moved.otpId)).map(({ channel }) => channel),
    ['sms'],
  )
})
