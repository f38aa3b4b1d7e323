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
  verify,
} from './harness/fixtures.ts'
import { writeIpSources } from './harness/ip-sources.ts'
import { startNode } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { startService } from './harness/service.ts'
import { closeAll } from './harness/two-nodes.ts'
import { ageVerification, assertChangesNothing, getVerification } from './resend-support.ts'

const abusiveIp = '45.155.205.1'
const sources = await writeIpSources([{ class: 'abusive', text: `${abusiveIp}\n` }])
const service = await startService()
const { database, node } = service
/** Another node on the same database, which knows which addresses are abusive. */
const wary = await startNode(database.url, { capture: node.capture, ipSourcesFile: sources.file })
after(() => closeAll([wary, service, sources]))

describe('what a resend is held to', () => {
  it('a country that was blocked in between is blocked for a resend', async () => {
    const { serverKey, appId } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { geo: { mode: 'block', countries: ['GB'] } })
    await assertChangesNothing(database, otpId, async () =>
      assertRefused(await resend(node, serverKey, otpId), 403, 'GeoBlockedError'),
    )
  })

  it('the address declared on the send is judged again on a resend', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey, freshPhone(), { client_ip: abusiveIp })
    await assertChangesNothing(database, otpId, async () =>
      assertRefused(await resend(wary, serverKey, otpId), 403, 'IpReputationBlockedError'),
    )
  })

  it('a resend is neither counted per recipient nor without an address, nor held to those limits', async () => {
    const { serverKey } = await createTenant(node, {
      limits: { recipient: [{ max: 2, window_s: 600 }], app_without_ip: [{ max: 2, window_s: 600 }] },
    })
    const recipient = freshPhone()
    const { otpId } = await started(node, serverKey, recipient)
    for (let round = 0; round < 3; round++) assert.equal((await resend(node, serverKey, otpId)).status, 200)
    const second = await send(node, serverKey, { recipient })
    assert.equal(second.status, 200, JSON.stringify(second.body))
    const third = await send(node, serverKey, { recipient })
    assertRefused(third, 429, 'RateLimitExceededError')
    assert.equal(third.body.error.details.scope, 'recipient')
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
  })

  it('guesses that failed elsewhere keep nobody from a resend', async () => {
    const { serverKey } = await createTenant(node, {
      limits: { recipient_failures: [{ max: 1, window_s: 600 }] },
    })
    const recipient = freshPhone()
    const { otpId } = await started(node, serverKey, recipient)
    const code = await message(node, recipient).then((sent) => sent.code)
    await verify(node, serverKey, otpId, code === '000000' ? '000001' : '000000')
    assertRefused(await send(node, serverKey, { recipient }), 429, 'RateLimitExceededError')
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
  })

  it('a resend counts against the limits of the address and of the app, and is held to them', async () => {
    const byApp = await createTenant(node, {
      limits: { app: [{ max: 2, window_s: 600 }], app_without_ip: [{ max: 1, window_s: 600 }] },
    })
    const first = await started(node, byApp.serverKey)
    assert.equal((await resend(node, byApp.serverKey, first.otpId)).status, 200)
    await assertChangesNothing(database, first.otpId, async () => {
      const refused = await resend(node, byApp.serverKey, first.otpId)
      assertRefused(refused, 429, 'RateLimitExceededError')
      assert.equal(refused.body.error.details.scope, 'app')
    })
    const byAddress = await createTenant(node, {
      limits: { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] },
    })
    const one = await started(node, byAddress.serverKey, freshPhone(), { client_ip: '8.8.8.8' })
    assert.equal((await resend(node, byAddress.serverKey, one.otpId)).status, 200)
    const third = await resend(node, byAddress.serverKey, one.otpId)
    assertRefused(third, 429, 'RateLimitExceededError')
    assert.equal(third.body.error.details.scope, 'ip')
  })

  it('a resend is paid for, and refused without the money', async () => {
    const { serverKey, companyId } = await createTenant(node, {}, { balance: '0.07' })
    const { otpId } = await started(node, serverKey)
    const moved = await resend(node, serverKey, otpId)
    assert.equal(moved.body.channel, 'whatsapp')
    assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '0.000000')
    await assertChangesNothing(database, otpId, async () =>
      assertRefused(await resend(node, serverKey, otpId), 402, 'InsufficientFundsError'),
    )
  })

  it('a link that is answered again spends no send attempt and no limit, but starts the cooldown', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_code' } },
      resend_cooldown_s: 120,
      limits: { recipient: [{ max: 1, window_s: 600 }] },
    })
    const sent = await send(node, serverKey, { recipient: freshPhone() })
    const otpId: string = sent.body.otp_id
    await ageVerification(database, otpId, 120)
    const again = await resend(node, serverKey, otpId)
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.equal(again.body.action_url, sent.body.action_url)
    assert.equal((await getVerification(database, otpId)).sends, 1)
    const early = await resend(node, serverKey, otpId)
    assertRefused(early, 429, 'ResendCooldownError')
    assert.ok(Number(early.headers.get('retry-after')) > 60)
  })

  it('the same link is answered again also when the send attempts are spent', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
      max_sends: 1,
    })
    const sent = await send(node, serverKey, { recipient: freshPhone() })
    const otpId: string = sent.body.otp_id
    for (let round = 0; round < 3; round++) {
      const again = await resend(node, serverKey, otpId)
      assert.equal(again.status, 200, JSON.stringify(again.body))
      assert.equal(again.body.action_url, sent.body.action_url)
    }
    const seen = await status(node, serverKey, otpId)
    assert.equal(seen.body.sends_remaining, 0)
    assert.notEqual(seen.body.resend_available_at, null)
    assertRefused(await resend(node, serverKey, otpId, 'sms'), 409, 'ResendNotAllowedError')
    assertRefused(await resend(node, serverKey, otpId, 'whatsapp'), 409, 'ResendNotAllowedError')
  })

  it('on a resend the cooldown is asked before the send attempts, those before the channel, that before the guard', async () => {
    const { serverKey, appId } = await createTenant(node, { max_sends: 1, resend_cooldown_s: 30 })
    const { otpId } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
    assertRefused(await resend(node, serverKey, otpId, 'email'), 429, 'ResendCooldownError')
    await ageVerification(database, otpId, 30)
    assertRefused(await resend(node, serverKey, otpId, 'email'), 409, 'ResendNotAllowedError')
    await database.query('update verifications set max_sends = 2 where otp_id = $1', [otpId])
    const channel = await resend(node, serverKey, otpId, 'email')
    assertRefused(channel, 409, 'ResendNotAllowedError')
    assert.match(channel.body.error.message, /email/)
    assertRefused(await resend(node, serverKey, otpId), 403, 'GeoBlockedError')
  })

  it('each accepted resend is recorded with its reasons', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await resend(node, serverKey, otpId)
    const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: serverKey })
    assert.deepEqual(
      body.decisions.map((decision: { kind: string }) => decision.kind),
      ['send', 'resend'],
    )
    const rules = body.decisions[1].rules.map((rule: { rule: string }) => rule.rule)
    assert.deepEqual(rules, [
      'cooldown',
      'send_attempts',
      'routing',
      'geo',
      'ip_reputation',
      'pumping',
      'limits',
      'spend',
      'balance',
    ])
  })
})
