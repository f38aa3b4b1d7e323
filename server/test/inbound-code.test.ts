/** A WhatsApp message that is answered with the code: to the recipient only, and a few times at most. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  status,
  type Tenant,
  verify,
} from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { eventTypes } from './harness/records.ts'

let database: TestDatabase
let nodes: [Node, Node]
let tenant: Tenant

before(async () => {
  database = await createTestDatabase()
  const capture = new Capture()
  nodes = [await startNode(database.url, { capture }), await startNode(database.url, { capture })]
  tenant = await createTenant(nodes[0], {
    routing: { default: ['whatsapp', 'sms'] },
    channels: { whatsapp: { mode: 'link_code' } },
  })
})
after(async () => {
  for (const node of nodes ?? []) await node.close()
  await database?.close()
})

async function write(from: string | null, text: string, messageId: string, node = nodes[0]): Promise<void> {
  const answer = await node.call('POST', '/hooks/capture-whatsapp', {
    body: JSON.stringify({ messageId, from, text }),
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.equal(answer.status, 200)
}
const textOf = (actionUrl: string) => new URL(actionUrl).searchParams.get('text') ?? ''

async function linked(recipient = freshPhone()) {
  const { body } = await send(nodes[0], tenant.serverKey, { recipient })
  assert.equal(body.completion, 'code')
  return { otpId: body.otp_id as string, recipient, text: textOf(body.action_url) }
}

/** Written before the callback is answered, so what is not here by then never comes. */
const deliveries = async (otpId: string) =>
  (await status(nodes[0], tenant.serverKey, otpId)).body.deliveries as { channel: string }[]

test('the recipient’s message is answered with the code, as a reply, and the code approves', async () => {
  const { otpId, recipient, text } = await linked()
  assert.deepEqual(await deliveries(otpId), [])
  await write(recipient, text, 'wamid-first')
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
  await write('+553187654321', text, 'wamid-brazil')
  assert.equal((await message(nodes[0], recipient)).inReplyTo, 'wamid-brazil')
})

test('a reply is a delivery but no send attempt, and prolongs nothing', async () => {
  const { otpId, recipient, text } = await linked()
  const before = (await status(nodes[0], tenant.serverKey, otpId)).body
  await write(recipient, text, 'wamid-counted')
  await message(nodes[0], recipient)
  const { body } = await status(nodes[0], tenant.serverKey, otpId)
  assert.equal(body.deliveries.length, 1)
  assert.equal(body.sends_remaining, before.sends_remaining)
  assert.equal(body.expires_at, before.expires_at)
})

test('a webhook that comes many times, on both nodes at once, is one message and one reply', async () => {
  const { otpId, recipient, text } = await linked()
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      write(recipient, text, 'wamid-same', nodes[index % 2 === 0 ? 0 : 1]),
    ),
  )
  await write(recipient, text, 'wamid-same')
  assert.equal((await deliveries(otpId)).length, 1)
})

test('a person who writes again gets the same code again, three times at most for one link', async () => {
  const { otpId, recipient, text } = await linked()
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      write(recipient, text, `wamid-${index}`, nodes[index % 2 === 0 ? 0 : 1]),
    ),
  )
  assert.equal((await deliveries(otpId)).length, 3)
  await message(nodes[0], recipient, 2)
  const codes = nodes[0].capture.to(recipient).map((captured) => captured.code)
  assert.equal(new Set(codes).size, 1)
})

test('a new link of the verification has its own replies and a fresh code, and the old link has none', async () => {
  const { otpId, recipient, text } = await linked()
  await write(recipient, text, 'wamid-old')
  const old = await message(nodes[0], recipient)
  const replaced = await resend(nodes[0], tenant.serverKey, otpId, 'whatsapp')
  await write(recipient, text, 'wamid-old-again')
  assert.equal((await deliveries(otpId)).length, 1)
  await write(recipient, textOf(replaced.body.action_url), 'wamid-new')
  const fresh = await message(nodes[0], recipient, 1)
  assert.equal(fresh.inReplyTo, 'wamid-new')
  if (fresh.code !== old.code) {
    assert.equal((await verify(nodes[0], tenant.serverKey, otpId, old.code)).body.matched, false)
  }
  assert.equal((await verify(nodes[0], tenant.serverKey, otpId, fresh.code)).body.matched, true)
})

test('strangers, nobody, the late and the finished get no reply', async () => {
  const foreign = await linked()
  await write(freshPhone(), foreign.text, 'wamid-stranger')
  await write(null, foreign.text, 'wamid-nobody')
  assert.deepEqual(await deliveries(foreign.otpId), [])

  const late = await linked()
  await database.query(
    "update verifications set expires_at = now() - interval '1 second' where otp_id = $1",
    [late.otpId],
  )
  await write(late.recipient, late.text, 'wamid-late')
  assert.deepEqual(await deliveries(late.otpId), [])

  const finished = await linked()
  await write(finished.recipient, finished.text, 'wamid-in-time')
  const { code } = await message(nodes[0], finished.recipient)
  await verify(nodes[0], tenant.serverKey, finished.otpId, code)
  await write(finished.recipient, finished.text, 'wamid-after')
  assert.equal((await deliveries(finished.otpId)).length, 1)

  const moved = await linked()
  await resend(nodes[0], tenant.serverKey, moved.otpId, 'sms')
  await write(moved.recipient, moved.text, 'wamid-moved')
  assert.deepEqual(
    (await deliveries(moved.otpId)).map(({ channel }) => channel),
    ['sms'],
  )
})
