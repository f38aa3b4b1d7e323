/** A whole verification, and each way it can end, through Twilio's own client. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseRecipient } from '../../src/domain/guard/index.ts'
import type { AppRef } from '../../src/domain/tenancy/index.ts'
import { findNewest } from '../../src/domain/verification/index.ts'
import { parseSid } from '../../src/platform/sids.ts'
import { createApp, createTenant, freshEmail, freshPhone, status, wrongCode } from '../harness/fixtures.ts'
import { eventTypes } from '../harness/records.ts'
import { startTwoNodeService } from '../harness/service.ts'
import { clientFor, codeFor, refused } from './support.ts'

const { database, nodes, close } = await startTwoNodeService()
after(close)
const [node] = nodes
const tenant = await createTenant(node)
const { service, client, sid: serviceSid } = await clientFor(node, tenant)

const create = (to: string, more: object = {}) =>
  service.verifications.create({ to, channel: 'sms', ...more })
const check = (to: string, code: string) => service.verificationChecks.create({ to, code })
const otpIdOf = (sid: string) => parseSid('verification', sid) ?? assert.fail(sid)
const expire = (sid: string) =>
  database.query("update verifications set expires_at = now() - interval '1 second' where otp_id = $1", [
    otpIdOf(sid),
  ])

test('a verification is started, its code checked, and its end is that of the app', async () => {
  const to = freshPhone()
  const started = await create(to)
  assert.deepEqual(
    [started.to, started.channel, started.status, started.valid, started.serviceSid],
    [to, 'sms', 'pending', false, serviceSid],
  )
  assert.equal(started.sendCodeAttempts.length, 1)
  assert.match(String(started.sendCodeAttempts[0].attempt_sid), /^VL[0-9a-f]{32}$/)
  const checked = await check(to, await codeFor(node, to))
  assert.deepEqual([checked.sid, checked.status, checked.valid], [started.sid, 'approved', true])
  const otpId = otpIdOf(started.sid)
  assert.equal((await status(node, tenant.serverKey, otpId)).body.status, 'approved')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
})

test('a right code works once', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  const code = await codeFor(node, to)
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => check(to, code)))
  assert.equal(answers.filter((answer) => answer.status === 'fulfilled').length, 1)
  await refused(check(to, code), 404, 20404)
  await refused(service.verificationChecks.create({ verificationSid: sid, code }), 404, 20404)
  assert.equal((await service.verifications(sid).fetch()).status, 'approved')
  await refused(service.verifications(to).fetch(), 404, 20404)
})

test('a wrong code is pending and not valid, and the right one is good afterwards', async () => {
  const to = freshEmail()
  const { sid } = await create(to, { channel: 'email' })
  const code = await codeFor(node, to)
  const wrong = await service.verificationChecks.create({ verificationSid: sid, code: wrongCode(code) })
  assert.deepEqual([wrong.status, wrong.valid, wrong.channel], ['pending', false, 'email'])
  assert.equal((await check(to, code)).status, 'approved')
})

test('attempts that are spent are 60202, whatever comes then', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  const code = await codeFor(node, to)
  for (const expected of ['pending', 'pending', 'pending', 'pending', 'max_attempts_reached']) {
    const { status: is, valid } = await check(to, wrongCode(code))
    assert.deepEqual([is, valid], [expected, false])
  }
  await refused(check(to, code), 429, 60202)
  await refused(service.verificationChecks.create({ verificationSid: sid, code }), 429, 60202)
  assert.deepEqual(await eventTypes(database, otpIdOf(sid)), ['otp.failed'])
  assert.notEqual((await create(to)).sid, sid)
})

test('an approval by the backend is counted as one by a code is', async () => {
  const approvals = async () => {
    const { body } = await node.call('GET', '/metrics')
    const [, count] =
      /^countersign_approvals_total\{[^}]*channel="sms"[^}]*\} (\d+)$/m.exec(String(body)) ?? []
    return Number(count ?? 0)
  }
  const before = await approvals()
  const { sid } = await create(freshPhone())
  assert.equal((await service.verifications(sid).update({ status: 'approved' })).status, 'approved')
  assert.equal(await approvals(), before + 1)
})

test('what has expired is not found by its code, and its SID says so', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  const code = await codeFor(node, to)
  await expire(sid)
  await refused(check(to, code), 404, 20404)
  await refused(service.verifications(to).fetch(), 404, 20404)
  await refused(service.verifications(sid).update({ status: 'approved' }), 404, 20404)
  assert.equal((await service.verifications(sid).fetch()).status, 'expired')
  assert.notEqual((await create(to)).sid, sid)
})

test('who asks again gets the same verification sent again, with the newest code alone', async () => {
  const to = freshPhone()
  const first = await create(to)
  const oldCode = await codeFor(node, to)
  const again = await create(to, { channel: 'whatsapp' })
  assert.deepEqual([again.sid, again.channel, again.sendCodeAttempts.length], [first.sid, 'whatsapp', 2])
  const code = await codeFor(node, to, 1)
  if (oldCode !== code) assert.equal((await check(to, oldCode)).valid, false)
  assert.equal((await check(to, code)).valid, true)
})

test('twenty at once for one person, over two nodes, are one verification and one message', async () => {
  const to = freshPhone()
  const slow = await createTenant(node, { resend_cooldown_s: 30 })
  const services = await Promise.all(nodes.map(async (each) => (await clientFor(each, slow)).service))
  const made = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, index) =>
      services[index % 2]?.verifications.create({ to, channel: 'sms' }),
    ),
  )
  const sids = new Set(made.flatMap((each) => (each.status === 'fulfilled' ? [each.value?.sid ?? ''] : [])))
  const codes = made.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
  const rows = await database.query<{ sends: number }>('select sends from verifications where app_id = $1', [
    slow.appId,
  ])
  assert.deepEqual([sids.size, rows], [1, [{ sends: 1 }]])
  assert.ok(codes.every((code) => code === 60212))
})

test('of two apps of one company each has its own verification of a person, with its own code', async () => {
  const sister = await clientFor(node, await createApp(node, tenant.companyId))
  const to = freshPhone()
  const { sid } = await create(to)
  const code = await codeFor(node, to)
  await refused(sister.service.verificationChecks.create({ to, code }), 404, 20404)
  await refused(sister.service.verifications(to).fetch(), 404, 20404)
  const theirs = await sister.service.verifications.create({ to, channel: 'sms' })
  assert.notEqual(theirs.sid, sid)
  assert.equal((await check(to, code)).sid, sid)
  const checked = await sister.service.verificationChecks.create({ to, code: await codeFor(node, to, 1) })
  assert.equal(checked.sid, theirs.sid)
})

test('whoever comes back within a day is not answered with the verification that they have finished', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  await check(to, await codeFor(node, to))
  // The key of the next start is made from it, as long as the key of this one is remembered.
  const [app, recipient] = [
    { companyId: tenant.companyId, appId: tenant.appId } as AppRef,
    parseRecipient(to),
  ]
  for (const hours of [0, 1, 12, 24]) {
    const clock = { nowMs: () => Date.now() + hours * 3_600_000 }
    const newest = recipient && (await findNewest({ ...node.app, clock }, app, recipient))
    assert.equal(newest?.verification.otpId, otpIdOf(sid), `after ${hours} hours`)
  }
})

test('the cooldown is 60212 with the seconds to wait, and sends that are spent are 60203', async () => {
  const cool = await clientFor(node, await createTenant(node, { resend_cooldown_s: 30 }))
  const to = freshPhone()
  await cool.service.verifications.create({ to, channel: 'sms' })
  await refused(cool.service.verifications.create({ to, channel: 'sms' }), 429, 60212)
  const few = await clientFor(node, await createTenant(node, { max_sends: 2 }))
  for (let send = 0; send < 2; send++) await few.service.verifications.create({ to, channel: 'sms' })
  await refused(few.service.verifications.create({ to, channel: 'sms' }), 429, 60203)
})

test('the limit of a recipient is 60203', async () => {
  const limited = await clientFor(
    node,
    await createTenant(node, { limits: { recipient: [{ max: 1, window_s: 600 }] } }),
  )
  const to = freshPhone()
  const { sid } = await limited.service.verifications.create({ to, channel: 'sms' })
  await limited.service.verifications(sid).update({ status: 'approved' })
  await refused(limited.service.verifications.create({ to, channel: 'sms' }), 429, 60203)
})

test('a backend that says approved approves, once, with its event', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  const approved = await service.verifications(to).update({ status: 'approved' })
  assert.deepEqual([approved.sid, approved.status, approved.valid, approved.to], [sid, 'approved', true, to])
  await refused(service.verifications(sid).update({ status: 'approved' }), 404, 20404)
  assert.deepEqual(await eventTypes(database, otpIdOf(sid)), ['otp.approved'])
})

test('what is cancelled is over, by its SID or its recipient, and the next start is a new one', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  const code = await codeFor(node, to)
  const canceled = await service.verifications(sid).update({ status: 'canceled' })
  assert.deepEqual([canceled.sid, canceled.status, canceled.valid], [sid, 'canceled', false])
  await refused(check(to, code), 404, 20404)
  await refused(service.verifications(sid).update({ status: 'canceled' }), 404, 20404)
  assert.equal((await service.verifications(sid).fetch()).status, 'canceled')
  assert.deepEqual(await eventTypes(database, otpIdOf(sid)), ['otp.failed'])
  const next = await create(to)
  assert.notEqual(next.sid, sid)
  assert.equal((await service.verifications(to).update({ status: 'canceled' })).sid, next.sid)
})

test('a recipient is told to nobody who does not name it', async () => {
  const to = freshPhone()
  const { sid } = await create(to)
  assert.equal((await service.verifications(to).fetch()).to, to)
  const masked = `+44****${to.slice(-2)}`
  assert.equal((await service.verifications(sid).fetch()).to, masked)
  const [attempt] = await client.verify.v2.verificationAttempts.list({ verificationSid: sid, limit: 5 })
  assert.equal(attempt?.channelData.to, masked)
})
