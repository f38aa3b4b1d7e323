/** What support sees of one verification's messages, and can do about the person. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import {
  createApp,
  createTenant,
  freshEmail,
  freshPhone,
  message,
  resend,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { joinCompany } from './harness/people.ts'
import { dumpRows } from './harness/records.ts'
import { startService } from './harness/service.ts'

const capture = new Capture()
const { database, node, close } = await startService({
  capture,
})
after(close)

const show = async (otpId: string) => (await node.manage('GET', `/verifications/${otpId}`)).body
const sent = (otpId: string, index = 0) =>
  until('the message to be sent', async () => {
    const delivery = (await show(otpId)).deliveries[index]
    return delivery?.status === 'sent' && delivery
  })
const except = (otpId: string, kind: string) =>
  node.manage('PUT', `/verifications/${otpId}/exception`, { kind })

describe('the messages of a verification', () => {
  it('say who carried them, for how much, in how many segments, and what was read, with the code masked', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code } = await started(node, serverKey)
    const delivery = await sent(otpId)
    assert.deepEqual(delivery.provider, {
      provider_id: 'capture-sms',
      kind: 'capture',
      name: null,
      owner: 'operator',
    })
    assert.equal(delivery.price, '0.050000')
    assert.equal(delivery.charge, 'captured')
    assert.equal(delivery.segments, 1)
    assert.match(delivery.sent_at, /Z$/)
    const read = capture.messages.at(-1)?.text ?? ''
    assert.equal(delivery.text, read.replaceAll(code, '******'))
    assert.ok(!delivery.text.includes(code))
    assert.equal(delivery.text.length, read.length)
  })

  it('count the segments of what left, and not of its mask', async () => {
    const text = `${'x'.repeat(150)} {code} {app}`
    const { serverKey } = await createTenant(node, { messages: { sms: { en: { text } } } })
    const { otpId } = await started(node, serverKey)
    assert.equal((await sent(otpId)).segments, 2)
  })

  it('have no text where the provider has one of its own', async () => {
    const { serverKey } = await createTenant(node, { routing: { default: ['whatsapp', 'telegram'] } })
    const { otpId, recipient } = await started(node, serverKey)
    await sent(otpId)
    await resend(node, serverKey, otpId)
    await message(node, recipient, 1)
    await sent(otpId, 1)
    const { deliveries } = await show(otpId)
    assert.deepEqual(
      deliveries.map(({ channel, text, segments }: Record<string, unknown>) => [channel, text, segments]),
      [
        ['whatsapp', null, null],
        ['telegram', null, null],
      ],
    )
  })

  it('say what the carrier said, and that the price went back', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    const { delivery_id } = await sent(otpId)
    const error = { code: '301', message: 'Absent subscriber.' }
    capture.receipt('capture-sms', {
      deliveryId: delivery_id,
      messageId: null,
      status: 'failed',
      unreachable: false,
      error,
    })
    const failed = await until('the receipt', async () => {
      const [delivery] = (await show(otpId)).deliveries
      return delivery.status === 'failed' && delivery
    })
    assert.deepEqual(failed.error, error)
    assert.deepEqual([failed.price, failed.charge], ['0.050000', 'returned'])
  })

  it('show their text to developers and owners, and not to viewers', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await sent(otpId)
    const textFor = async (role: 'viewer' | 'developer' | 'owner') => {
      const person = await joinCompany(node, companyId, role)
      return (await person.call('GET', `/verifications/${otpId}`)).body.deliveries[0].text
    }
    assert.equal(await textFor('viewer'), null)
    assert.match(await textFor('developer'), /\*{6}/)
    assert.match(await textFor('owner'), /\*{6}/)
  })

  it('leave no code in the database', async () => {
    const { serverKey } = await createTenant(node, { code_length: 8 })
    const { otpId, code } = await started(node, serverKey)
    await sent(otpId)
    const mail = await started(node, serverKey, freshEmail())
    await sent(mail.otpId)
    // Only as a separate number: within longer ones it may occur by chance.
    const held = new RegExp(`(?<![0-9a-f])(?:${code}|${mail.code})(?![0-9a-f])`)
    for (const { row } of await dumpRows(database)) assert.doesNotMatch(row, held)
  })
})

describe('a resend by support', () => {
  it('goes the way of a caller’s, on the channel that was asked for, and is held to the same rules', async () => {
    const { serverKey } = await createTenant(node, { max_sends: 2 })
    const { otpId, recipient } = await started(node, serverKey)
    const path = `/verifications/${otpId}/resend`
    const resent = await node.manage('POST', path, { channel: 'whatsapp' })
    assert.equal(resent.status, 200, JSON.stringify(resent.body))
    assert.equal(resent.body.channel, 'whatsapp')
    const { code } = await message(node, recipient, 1)
    const spent = await node.manage('POST', path, {})
    assert.deepEqual([spent.status, spent.body.error.type], [409, 'ResendNotAllowedError'])
    await until('the refusal in its story', async () =>
      (await show(otpId)).timeline.some(({ kind }: { kind: string }) => kind === 'refused'),
    )
    assert.equal((await verify(node, serverKey, otpId, code)).body.status, 'approved')
    const over = await node.manage('POST', path, {})
    assert.deepEqual([over.status, over.body.error.type], [409, 'OtpNotPendingError'])
  })

  it('waits for the cooldown', async () => {
    const { serverKey } = await createTenant(node, { resend_cooldown_s: 60 })
    const { otpId } = await started(node, serverKey)
    const early = await node.manage('POST', `/verifications/${otpId}/resend`, {})
    assert.deepEqual([early.status, early.body.error.type], [429, 'ResendCooldownError'])
    assert.ok(Number(early.headers.get('retry-after')) > 0)
  })
})

describe('a recipient who is blocked', () => {
  it('is sent nothing by any app of the company, until that is lifted, and other companies go on', async () => {
    const tenant = await createTenant(node)
    const other = await createApp(node, tenant.companyId)
    const stranger = await createTenant(node)
    const { otpId, recipient } = await started(node, tenant.serverKey)
    const put = await except(otpId, 'blocked')
    assert.equal(put.status, 200, JSON.stringify(put.body))
    assert.deepEqual([put.body.kind, put.body.expires_at], ['blocked', null])
    assert.deepEqual((await show(otpId)).exception, put.body)
    for (const key of [tenant.serverKey, tenant.publishableKey, other.serverKey]) {
      const refused = await send(node, key, { recipient })
      assert.deepEqual([refused.status, refused.body.error.type], [403, 'RecipientBlockedError'])
    }
    const again = await resend(node, tenant.serverKey, otpId)
    assert.deepEqual([again.status, again.body.error.type], [403, 'RecipientBlockedError'])
    const seen = await node.manage('POST', `/apps/${tenant.appId}/preview`, { recipient })
    assert.equal(seen.body.error.type, 'RecipientBlockedError')
    assert.equal((await send(node, stranger.serverKey, { recipient })).status, 200)
    assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)

    const refusals = await until('the refusals to be written', async () => {
      const { body } = await node.manage('GET', `/apps/${tenant.appId}/refusals?rule=exception`)
      return body.refusals.length >= 3 && body.refusals
    })
    assert.equal(refusals.length, 3)
    assert.equal(refusals[0].why, 'This recipient is blocked.')

    const list = `/companies/${tenant.companyId}/exceptions`
    const { exceptions } = (await node.manage('GET', list)).body
    assert.deepEqual(exceptions, [put.body])
    assert.equal((await node.manage('DELETE', `${list}/${put.body.exception_id}`)).status, 200)
    assert.equal((await node.manage('DELETE', `${list}/${put.body.exception_id}`)).status, 404)
    assert.equal((await send(node, tenant.serverKey, { recipient })).status, 200)
  })

  it('can still finish what is pending', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code } = await started(node, serverKey)
    await except(otpId, 'blocked')
    assert.equal((await verify(node, serverKey, otpId, code)).body.status, 'approved')
  })

  it('can be named as people write them, and is found with what stands against them', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const support = await joinCompany(node, companyId, 'developer')
    const made = await support.call('POST', `/companies/${companyId}/exceptions`, {
      recipient: '07400 (555) 123',
      country: 'GB',
      kind: 'blocked',
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.deepEqual([made.body.masked_recipient, made.body.created_by], ['+44****23', support.email])
    const { body: list } = await node.manage('GET', `/companies/${companyId}/exceptions`)
    assert.deepEqual(list.exceptions, [made.body])
    assert.equal((await send(node, serverKey, { recipient: '+447400555123' })).status, 403)
    const found = await until('the refusal to be written', async () => {
      const { body } = await node.manage('POST', `/companies/${companyId}/search`, {
        recipient: '0044 7400-555-123',
      })
      return body.refusals.length > 0 && body
    })
    assert.deepEqual(found.exception, made.body)
    assert.equal(found.refusals.length, 1)
  })

  it('is forgotten when the recipient is erased, from one of their verifications', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await except(otpId, 'blocked')
    const erased = await node.manage('POST', `/verifications/${otpId}/erase`)
    assert.deepEqual([erased.status, erased.body], [200, { verifications: 1 }])
    assert.deepEqual((await node.manage('GET', `/companies/${companyId}/exceptions`)).body.exceptions, [])
    assert.equal((await show(otpId)).masked_recipient, '****')
    assert.equal((await node.manage('POST', `/verifications/${otpId}/erase`)).status, 404)
    assert.equal((await except(otpId, 'allowed')).status, 404)
  })
})

describe('a recipient who is allowed', () => {
  const rule = { name: 'nobody', mode: 'on', when: {}, then: { action: 'refuse' } }

  it('passes rules of one’s own for a day, and then no more', async () => {
    const { appId, serverKey } = await createTenant(node)
    const { otpId, recipient } = await started(node, serverKey)
    await node.manage('PUT', `/apps/${appId}/rules`, { revision: 0, rules: [rule] })
    assert.equal((await send(node, serverKey, { recipient })).body.error.type, 'RuleBlockedError')
    const put = await except(otpId, 'allowed')
    const hours = (Date.parse(put.body.expires_at) - Date.parse(put.body.created_at)) / 3_600_000
    assert.equal(hours, 24)
    const passed = await send(node, serverKey, { recipient })
    assert.equal(passed.status, 200, JSON.stringify(passed.body))
    const [decision] = (await show(passed.body.otp_id)).decisions
    const said = decision.rules.find((each: { rule: string }) => each.rule === 'exception')
    assert.deepEqual([said.outcome, said.facts], ['pass', { kind: 'allowed' }])
    await database.query('update exceptions set expires_at = now() where exception_id = $1', [
      put.body.exception_id,
    ])
    assert.equal((await send(node, serverKey, { recipient })).body.error.type, 'RuleBlockedError')
    assert.equal((await show(otpId)).exception, null)
  })

  it('is held to countries, limits and money like everybody', async () => {
    const { appId, serverKey } = await createTenant(node, {
      limits: { recipient: [{ max: 2, window_s: 600 }] },
    })
    const { otpId, recipient } = await started(node, serverKey)
    await except(otpId, 'allowed')
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    assert.equal((await send(node, serverKey, { recipient })).body.error.details.scope, 'recipient')
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
    assert.equal((await send(node, serverKey, { recipient })).body.error.type, 'GeoBlockedError')
  })

  it('has one exception at a time: the last one counts', async () => {
    const { companyId, serverKey } = await createTenant(node)
    const { otpId, recipient } = await started(node, serverKey)
    await except(otpId, 'blocked')
    await except(otpId, 'allowed')
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    const { exceptions } = (await node.manage('GET', `/companies/${companyId}/exceptions`)).body
    assert.deepEqual(
      exceptions.map(({ kind }: { kind: string }) => kind),
      ['allowed'],
    )
  })
})

it('without an exception a decision says nothing of exceptions', async () => {
  const { serverKey } = await createTenant(node)
  const { otpId } = await started(node, serverKey)
  const [decision] = (await show(otpId)).decisions
  assert.ok(!decision.rules.some(({ rule }: { rule: string }) => rule === 'exception'))
  assert.equal((await status(node, serverKey, otpId)).body.deliveries[0].provider, undefined)
})
