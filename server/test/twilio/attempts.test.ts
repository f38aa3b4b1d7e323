/** Messages and the app itself, as Twilio's client lists them. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestDatabase } from '../harness/database.ts'
import { createTenant, freshEmail, freshPhone, message, send } from '../harness/fixtures.ts'
import { startNode } from '../harness/node.ts'
import { closeAll } from '../harness/two-nodes.ts'
import { clientFor, codeFor, refused } from './support.ts'

const database = await createTestDatabase()
const publicUrl = 'https://countersign.example'
const node = await startNode(database.url, { publicUrl })
after(() => closeAll([node, database]))
const tenant = await createTenant(node)
const { service, client, sid } = await clientFor(node, tenant)
const { verificationAttempts } = client.verify.v2

test('attempts are listed newest first, by each filter', async () => {
  const [phone, email] = [freshPhone(), freshEmail()]
  const first = await service.verifications.create({ to: phone, channel: 'sms' })
  const second = await service.verifications.create({ to: email, channel: 'email' })
  await service.verificationChecks.create({ to: phone, code: await codeFor(node, phone) })
  await message(node, email)
  const sids = async (filter: object) =>
    (await verificationAttempts.list({ limit: 10, ...filter })).map(({ verificationSid }) => verificationSid)
  assert.deepEqual(await sids({}), [second.sid, first.sid])
  assert.deepEqual(await sids({ channel: 'email' }), [second.sid])
  assert.deepEqual(await sids({ status: 'converted' }), [first.sid])
  assert.deepEqual(await sids({ status: 'unconverted' }), [second.sid])
  assert.deepEqual(await sids({ country: 'GB' }), [first.sid])
  assert.deepEqual(await sids({ 'channelData.to': phone }), [first.sid])
  assert.deepEqual(await sids({ 'channelData.to': freshPhone() }), [])
  assert.deepEqual(await sids({ verificationSid: second.sid }), [second.sid])
  assert.deepEqual(await sids({ verifyServiceSid: sid }), [second.sid, first.sid])
  assert.deepEqual(await sids({ verifyServiceSid: `VA${'0'.repeat(32)}` }), [])
  assert.deepEqual(await sids({ dateCreatedAfter: new Date(Date.now() + 60_000) }), [])
  assert.deepEqual(await sids({ dateCreatedBefore: new Date(Date.now() - 3_600_000) }), [])
  const [listed] = await verificationAttempts.list({ limit: 1 })
  const fetched = await verificationAttempts(listed?.sid ?? '').fetch()
  assert.deepEqual([fetched.verificationSid, fetched.conversionStatus], [second.sid, 'unconverted'])
  await refused(verificationAttempts(`VL${'0'.repeat(32)}`).fetch(), 404, 20404)
})

test('a list goes on where its page ended', async () => {
  const own = await clientFor(node, await createTenant(node))
  for (let index = 0; index < 5; index++) {
    await own.service.verifications.create({ to: freshPhone(), channel: 'sms' })
  }
  const seen: string[] = []
  let page = await own.client.verify.v2.verificationAttempts.page({ pageSize: 2 })
  for (;;) {
    seen.push(...page.instances.map((attempt) => attempt.sid))
    if (!page.nextPageUrl) break
    const next = new URL(page.nextPageUrl)
    assert.equal(next.origin, publicUrl)
    page = await own.client.verify.v2.verificationAttempts.getPage(
      `${node.baseUrl}${next.pathname}${next.search}`,
    )
  }
  assert.equal(new Set(seen).size, 5)
  assert.deepEqual(seen, [...seen].sort().reverse())
})

test('what Twilio has no word for is not shown: Telegram', async () => {
  const own = await createTenant(node, { routing: { default: ['telegram'] } })
  const { service: other, client: otherClient } = await clientFor(node, own)
  const to = freshPhone()
  await send(node, own.serverKey, { recipient: to })
  await refused(other.verifications(to).fetch(), 404, 20404)
  assert.deepEqual(await otherClient.verify.v2.verificationAttempts.list({ limit: 5 }), [])
})

test('the app is the one service of its key', async () => {
  const fetched = await service.fetch()
  assert.deepEqual([fetched.sid, fetched.friendlyName, fetched.codeLength], [sid, 'Acme', 6])
  const listed = await client.verify.v2.services.list({ limit: 5 })
  assert.deepEqual(
    listed.map((each) => each.sid),
    [sid],
  )
})
