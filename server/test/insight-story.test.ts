/** One verification with its timeline: what happened, in order, in sentences, without the code and the recipient. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { sidOf } from '../src/platform/sids.ts'
import { Capture } from './harness/capture.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { startService } from './harness/service.ts'
import { sentDelivery, show } from './insight-story-support.ts'
import { clientFor } from './twilio/support.ts'

const capture = new Capture()
const { database, node, close } = await startService({
  capture,
})
after(close)

describe('the story of a verification', () => {
  it('has every step from the start to the approval, with what each was about', async () => {
    const { appId, serverKey } = await createTenant(node)
    await node.manage('PUT', `/apps/${appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    const { otpId, code, recipient } = await started(node, serverKey)
    const first = await sentDelivery(node, serverKey, otpId)
    capture.receipt('capture-sms', {
      deliveryId: first.delivery_id,
      messageId: null,
      status: 'delivered',
      unreachable: false,
      error: null,
    })
    await until('the receipt', async () => (await show(node, otpId)).kinds.includes('delivered'))
    await verify(node, serverKey, otpId, wrongCode(code))
    await resend(node, serverKey, otpId)
    await message(node, recipient, 1)
    await sentDelivery(node, serverKey, otpId, 1)
    await verify(node, serverKey, otpId, code)
    const seen = await show(node, otpId)
    assert.deepEqual(seen.kinds, [
      'started',
      'queued',
      'sent',
      'delivered',
      'event',
      'wrong_code',
      'resent',
      'queued',
      'sent',
      'approved',
      'event',
    ])
    assert.deepEqual(
      seen.timeline.map(({ channel }) => channel),
      ['sms', 'sms', 'sms', 'sms', null, null, 'whatsapp', 'whatsapp', 'whatsapp', 'whatsapp', null],
    )
    const words = seen.timeline.map(({ text }) => text)
    assert.deepEqual(words.slice(0, 4), [
      'Started by SMS.',
      'The SMS message was queued.',
      'The provider accepted the SMS message.',
      'The SMS message was delivered.',
    ])
    assert.equal(words[5], 'A wrong code was entered. 4 attempts are left.')
    assert.equal(words[6], 'Resent on WhatsApp.')
    assert.equal(words[9], 'Approved with the right code.')
    assert.match(words[10] ?? '', /^The event otp\.approved /)
    assert.deepEqual(
      seen.events.map(({ type }) => type),
      ['delivery.delivered', 'otp.approved'],
    )
    assert.equal(seen.timeline[4]?.event_id, seen.events[0]?.id)
    assert.equal(seen.timeline[4]?.delivery_id, first.delivery_id)
    assert.equal(seen.app_id, appId)
    assert.equal(seen.status, 'approved')
    assert.equal(seen.cost, '0.070000')
    assert.deepEqual(
      seen.decisions.map(({ kind }) => kind),
      ['send', 'resend'],
    )
  })

  it('says of a resend whether the codes before it still work', async () => {
    const { serverKey } = await createTenant(node, { resend_cooldown_s: 0 })
    const { otpId } = await started(node, serverKey, freshPhone())
    await resend(node, serverKey, otpId)
    await resend(node, serverKey, otpId, 'sms')
    const { timeline } = await show(node, otpId)
    assert.deepEqual(
      timeline.filter(({ kind }) => kind === 'resent').map(({ text }) => text),
      ['Resent on WhatsApp.', 'Resent by SMS with a new code. Earlier codes no longer work.'],
    )
  })

  it('has no code, no whole recipient and no hash in it', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey, freshPhone(), { client_ip: '8.8.8.8' })
    await verify(node, serverKey, otpId, wrongCode(code))
    await verify(node, serverKey, otpId, code)
    const text = JSON.stringify((await node.manage('GET', `/verifications/${otpId}`)).body)
    for (const secret of [code, wrongCode(code), recipient, recipient.slice(1), 'code_mac', 'hash'])
      assert.ok(!text.includes(secret), secret)
    assert.ok(text.includes('"client_ip":"8.8.8.8"'))
  })

  it('says that the backend approved it, where no code was entered', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    const { service } = await clientFor(node, tenant)
    await service.verifications(sidOf('verification', otpId)).update({ status: 'approved' })
    const approved = (await show(node, otpId)).timeline.find(({ kind }) => kind === 'approved')
    assert.equal(approved?.text, 'Approved by the app’s backend.')
  })

  it('says why a message failed, and gives its price back', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    capture.answerWith((outgoing) =>
      outgoing.recipient === recipient
        ? { kind: 'refused', error: { code: 'blocked', message: 'The carrier refused it.' } }
        : { kind: 'accepted', messageId: 'm' },
    )
    try {
      const { otp_id: otpId } = (await send(node, serverKey, { recipient })).body
      await until('the failure', async () => (await show(node, otpId)).kinds.includes('delivery_failed'))
      const seen = await show(node, otpId)
      assert.deepEqual(seen.kinds, ['started', 'queued', 'delivery_failed', 'event'])
      assert.equal(
        seen.timeline[2]?.text,
        'The SMS message was not delivered. The carrier refused it. (blocked)',
      )
      assert.equal(seen.cost, '0.000000')
    } finally {
      capture.answerWith(null)
    }
  })

  it('is over at the instant that the code is', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await sentDelivery(node, serverKey, otpId)
    assert.ok(!(await show(node, otpId)).kinds.includes('expired'))
    await database.query(`update verifications set expires_at = now() where otp_id = $1`, [otpId])
    const seen = await show(node, otpId)
    assert.equal(seen.status, 'expired')
    assert.equal(seen.timeline.at(-1)?.kind, 'expired')
    assert.equal(seen.timeline.at(-1)?.at, seen.expires_at)
  })

  it('tells a link from a message, and an approval by a message from one by a code', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
    })
    const person = freshPhone()
    const link = (await send(node, serverKey, { recipient: person })).body
    await node.call('POST', '/hooks/capture-whatsapp', {
      body: { from: person, text: new URL(link.action_url).searchParams.get('text'), messageId: 'in-1' },
    })
    await until('the approval', async () => (await show(node, link.otp_id)).status === 'approved')
    const approved = await show(node, link.otp_id)
    assert.deepEqual(approved.timeline.map(({ text }) => text).slice(0, 2), [
      'Started with a WhatsApp link.',
      'Approved by the person’s WhatsApp message.',
    ])
    assert.deepEqual(
      approved.events.map(({ type }) => type),
      ['otp.approved'],
    )
    assert.equal(approved.cost, '0.000000')

    const moved = (await send(node, serverKey, { recipient: freshPhone() })).body
    await resend(node, serverKey, moved.otp_id, 'sms')
    await sentDelivery(node, serverKey, moved.otp_id)
    const { timeline } = await show(node, moved.otp_id)
    assert.deepEqual(
      timeline.map(({ kind, channel }) => [kind, channel]),
      [
        ['started', 'whatsapp'],
        ['resent', 'sms'],
        ['queued', 'sms'],
        ['sent', 'sms'],
      ],
    )
  })

  it('says that an event is held while its endpoint is paused', async () => {
    const { appId, serverKey } = await createTenant(node)
    await node.manage('PUT', `/apps/${appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    await database.query(
      `update webhook_endpoints set status = 'paused', paused_at = now() where app_id = $1`,
      [appId],
    )
    const { otpId, code } = await started(node, serverKey)
    await verify(node, serverKey, otpId, code)
    const seen = await show(node, otpId)
    assert.equal(seen.events[0]?.status, 'held')
    // That the provider accepted the message may be recorded after the approval.
    const told = seen.timeline.map(({ text }: { text: string }) => text).join('\n')
    assert.match(told, /is waiting for the endpoint, which is paused/)
  })

  it('of an id that is unknown or no id is not found', async () => {
    for (const otpId of [newId('verification', Date.now()), newId('verification', 0), 'otp_x', 'x']) {
      const answer = await node.manage('GET', `/verifications/${otpId}`)
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.type, 'NotFoundError')
    }
  })

  it('is found by an index of one day, whoever else has verifications', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off)
       select app_id, company_id from verifications where otp_id = '${otpId}' and substr(otp_id, 5) = substr('${otpId}', 5)`,
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    assert.equal(text.match(/ on verifications_\d{8}/g)?.length, 1, text)
  })
})
