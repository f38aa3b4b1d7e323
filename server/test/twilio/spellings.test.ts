/** Email addresses that are one person for limits and erasure, but not one mailbox on every mail server. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshEmail } from '../harness/fixtures.ts'
import { startTwoNodeService } from '../harness/service.ts'
import { clientFor, codeFor, refused } from './support.ts'

const { nodes, close } = await startTwoNodeService()
after(close)
const [node] = nodes
const tenant = await createTenant(node)
const { service } = await clientFor(node, tenant)

const create = (to: string) => service.verifications.create({ to, channel: 'email' })
const check = (to: string, code: string) => service.verificationChecks.create({ to, code })

let count = 0
const pairs = {
  'with a tag': () => [`alice${++count}+else@example.org`, `alice${count}@example.org`],
  'without the tag': () => [`alice${++count}@example.org`, `alice${count}+else@example.org`],
  'with another tag': () => [`alice${++count}+a@example.org`, `alice${count}+b@example.org`],
  'with dots': () => [`al.ice${++count}@gmail.com`, `alice${count}@gmail.com`],
} satisfies Record<string, () => [string, string]>

for (const [how, pair] of Object.entries(pairs)) {
  describe(`of an address that is written ${how}`, () => {
    it('a code proves nothing for the other', async () => {
      const [started, other] = pair()
      await create(started)
      const code = await codeFor(node, started)
      await refused(check(other, code), 404, 20404)
      assert.equal((await check(started, code)).status, 'approved')
    })

    it('a verification is neither read, approved nor cancelled by the other', async () => {
      const [started, other] = pair()
      const { sid } = await create(started)
      await refused(service.verifications(other).fetch(), 404, 20404)
      for (const status of ['approved', 'canceled'] as const)
        await refused(service.verifications(other).update({ status }), 404, 20404)
      assert.equal((await service.verifications(sid).fetch()).status, 'pending')
    })

    it('a pending verification is not sent again for the other, which gets a code of its own', async () => {
      const [started, other] = pair()
      const first = await create(started)
      const second = await create(other)
      assert.notEqual(second.sid, first.sid)
      const [code, theirs] = [await codeFor(node, started), await codeFor(node, other)]
      assert.equal(node.capture.to(started).length, 1)
      assert.equal((await check(other, theirs)).sid, second.sid)
      assert.equal((await check(started, code)).sid, first.sid)
    })

    it('two that are started at once are two, each with its own code', async () => {
      const [started, other] = pair()
      const [first, second] = await Promise.all([create(started), create(other)])
      assert.notEqual(first.sid, second.sid)
      for (const to of [started, other])
        assert.equal((await check(to, await codeFor(node, to))).status, 'approved')
    })
  })
}

it('a check that names a verification and a recipient is of both, or of none', async () => {
  const [mine, theirs] = [freshEmail(), freshEmail()]
  const { sid } = await create(mine)
  await create(theirs)
  const code = await codeFor(node, mine)
  const both = (to: string) => service.verificationChecks.create({ verificationSid: sid, to, code })
  for (const to of [theirs, freshEmail(), mine.replace('@', '+else@'), 'nobody'])
    await refused(both(to), 404, 20404)
  assert.equal((await both(mine)).status, 'approved')
})

it('one address in other capitals is one', async () => {
  const to = `Alice${++count}@example.org`
  const { sid } = await create(to)
  assert.equal((await create(to.toUpperCase())).sid, sid)
})

it('one number in its two spellings is one', async () => {
  const started = await service.verifications.create({ to: '+5491123456789', channel: 'sms' })
  assert.equal((await service.verifications('+541123456789').fetch()).sid, started.sid)
})

it('a number that was let in is found again, whatever the app asks of new ones since', async () => {
  const strict = await createTenant(node)
  const { client, service: ofStrict } = await clientFor(node, strict)
  const to = '+50012345'
  const { sid } = await ofStrict.verifications.create({ to, channel: 'sms' })
  const code = await codeFor(node, to)
  await node.manage('PATCH', `/apps/${strict.appId}`, { number_check: 'valid' })
  assert.equal((await ofStrict.verifications(to).fetch()).sid, sid)
  assert.equal((await client.verify.v2.verificationAttempts.list({ 'channelData.to': to })).length, 1)
  const checked = await ofStrict.verificationChecks.create({ verificationSid: sid, to, code })
  assert.equal(checked.status, 'approved')
})
