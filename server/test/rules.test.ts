/** What an app's own rules do, by action, by call and by mode; and what they do not affect. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { RuleAction } from '@countersign/contract'
import { createTenant, freshPhone, resend, send, started } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { ownRulesIn, previewOf, putRules, saidOf, tenantWith } from './rules-support.ts'
import { listed, startSendService } from './send-support.ts'

const { node, database, close } = await startSendService()
after(close)

const link = {
  channels: { whatsapp: { mode: 'link_code' } },
  routing: { default: ['sms', 'whatsapp', 'telegram'] },
}

interface Ending {
  readonly status: number
  readonly type?: string
  readonly scope?: string
  readonly channel?: string
  readonly isLink?: boolean
}

interface Act {
  readonly then: RuleAction
  readonly settings?: Record<string, unknown>
  /** The outcome of a send, which a preview must predict. */
  readonly send: Ending
  /** The outcome of a resend after a send without the rule. */
  readonly resend: Ending
  readonly effect: string
}

const blocked = { status: 403, type: 'RuleBlockedError' }
const waits = { status: 429, type: 'RateLimitExceededError', scope: 'rule' }
const acts: readonly Act[] = [
  { then: { action: 'refuse' }, send: blocked, resend: blocked, effect: 'refuse' },
  { then: { action: 'hold', minutes: 5 }, send: waits, resend: waits, effect: 'hold' },
  {
    then: { action: 'channels', channels: ['telegram', 'email'] },
    send: { status: 200, channel: 'telegram' },
    resend: { status: 200, channel: 'telegram' },
    effect: 'reroute',
  },
  {
    then: { action: 'channels', channels: ['email'] },
    send: { status: 409, type: 'NoEnabledChannelError' },
    resend: { status: 409, type: 'ResendNotAllowedError' },
    effect: 'refuse',
  },
  {
    then: { action: 'link' },
    settings: link,
    send: { status: 200, channel: 'whatsapp', isLink: true },
    resend: { status: 200, channel: 'whatsapp', isLink: true },
    effect: 'reroute',
  },
  {
    then: { action: 'link' },
    send: { status: 409, type: 'NoEnabledChannelError' },
    resend: { status: 409, type: 'ResendNotAllowedError' },
    effect: 'refuse',
  },
  {
    then: { action: 'limit', max: 1, window_s: 600 },
    send: { status: 200, channel: 'sms' },
    resend: { status: 200 },
    effect: 'none',
  },
  {
    then: { action: 'pass' },
    send: { status: 200, channel: 'sms' },
    resend: { status: 200 },
    effect: 'pass',
  },
]

function assertEnding(answer: Answer, { status, type, scope, channel, isLink = false }: Ending): void {
  const told = JSON.stringify(answer.body)
  assert.equal(answer.status, status, told)
  if (type) assert.equal(answer.body.error.type, type, told)
  if (scope) assert.equal(answer.body.error.details.scope, scope)
  if (channel) assert.equal(answer.body.channel, channel)
  if (status === 200) assert.equal(answer.body.action_url !== null, isLink, told)
  if (status === 429)
    assert.equal(Number(answer.headers.get('retry-after')), answer.body.error.details.retry_after)
}

describe('rules of one’s own', () => {
  for (const { then, settings, effect, ...ends } of acts) {
    const title = `${JSON.stringify(then)}${settings ? ' where there are links' : ''}`
    describe(title, () => {
      it('acts on a send where it is on, as a preview says', async () => {
        const { serverKey } = await tenantWith(node, [{ name: 'Mine', then }], settings)
        const recipient = freshPhone()
        const foretold = await previewOf(node, serverKey, { recipient })
        const answer = await send(node, serverKey, { recipient })
        assertEnding(answer, ends.send)
        assert.equal(foretold.error?.type, ends.send.type)
        if (ends.send.status === 200) assert.equal(foretold.channel, answer.body.channel)
        const [own] = ownRulesIn(foretold.decision)
        assert.equal(own?.facts.effect, effect)
        assert.match(own?.why ?? '', /Mine/)
      })

      it('acts on a resend where it is on', async () => {
        const tenant = await createTenant(node, settings)
        const { otpId } = await started(node, tenant.serverKey)
        await putRules(node, tenant.appId, [{ then }])
        assertEnding(await resend(node, tenant.serverKey, otpId), ends.resend)
      })

      it('only says in shadow what it would do, and does nothing where it is off', async () => {
        const tenant = await tenantWith(node, [{ then, mode: 'shadow' }], settings)
        const recipient = freshPhone()
        const foretold = await previewOf(node, tenant.serverKey, { recipient })
        const { otpId, answer } = await started(node, tenant.serverKey, recipient)
        assert.equal(answer.body.channel, 'sms')
        const [own] = await saidOf(node, tenant.serverKey, otpId)
        assert.deepEqual([own?.outcome, own?.facts.effect], ['shadow', effect])
        assert.deepEqual(ownRulesIn(foretold.decision), [own])
        assert.equal((await resend(node, tenant.serverKey, otpId)).status, 200)
        const [again] = await saidOf(node, tenant.serverKey, otpId)
        assert.equal(again?.outcome, 'shadow')
        await putRules(node, tenant.appId, [{ then, mode: 'off' }])
        const third = await send(node, tenant.serverKey, { recipient })
        assert.equal(third.body.channel, 'sms')
        assert.deepEqual(await saidOf(node, tenant.serverKey, third.body.otp_id), [])
      })
    })
  }

  it('are asked in their order: the first that refuses names itself, and what passes is not asked on', async () => {
    const refusing = { name: 'Second', then: { action: 'refuse' } } as const
    const first = { name: 'First', then: { action: 'hold', minutes: 1 } } as const
    const { serverKey, appId } = await tenantWith(node, [first, refusing])
    const recipient = freshPhone()
    const held = await send(node, serverKey, { recipient })
    assert.equal(held.body.error.details.rule, 'First')
    await putRules(node, appId, [{ name: 'Pass', then: { action: 'pass' } }, refusing])
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    await putRules(node, appId, [{ name: 'Pass', mode: 'shadow', then: { action: 'pass' } }, refusing])
    assertRefused(await send(node, serverKey, { recipient }), 403, 'RuleBlockedError')
  })

  it('narrow the way together, and each goes by the channel that those above it leave', async () => {
    const { serverKey } = await tenantWith(node, [
      { name: 'No text', then: { action: 'channels', channels: ['whatsapp', 'telegram'] } },
      { name: 'Not here', when: { channel: ['sms'] } },
      {
        name: 'Chat',
        when: { channel: ['whatsapp'] },
        then: { action: 'channels', channels: ['telegram', 'sms'] },
      },
    ])
    const { answer, otpId } = await started(node, serverKey)
    assert.equal(answer.body.channel, 'telegram')
    const said = await saidOf(node, serverKey, otpId)
    assert.deepEqual(
      said.map(({ outcome, facts }) => [outcome, facts.name]),
      [
        ['reroute', 'No text'],
        ['reroute', 'Chat'],
      ],
    )
    const named = await resend(node, serverKey, otpId, 'sms')
    assertRefused(named, 409, 'ResendNotAllowedError')
  })

  it('do not stop what sends nothing: the link that the person has', async () => {
    const settings = { ...link, routing: { default: ['whatsapp', 'sms'] } }
    const tenant = await createTenant(node, settings)
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    await putRules(node, tenant.appId, [{}])
    const again = await resend(node, tenant.serverKey, body.otp_id)
    assert.equal(again.body.action_url, body.action_url)
    assertRefused(await resend(node, tenant.serverKey, body.otp_id, 'sms'), 403, 'RuleBlockedError')
  })

  it('ask for the link whatever a resend names, and for a new one where it names WhatsApp', async () => {
    const tenant = await createTenant(node, link)
    const { otpId } = await started(node, tenant.serverKey)
    await putRules(node, tenant.appId, [{ then: { action: 'link' } }])
    const links: string[] = []
    for (const named of ['sms', 'telegram', 'whatsapp']) {
      const { body } = await resend(node, tenant.serverKey, otpId, named)
      assert.equal(body.channel, 'whatsapp', JSON.stringify(body))
      links.push(body.action_url)
    }
    const [first, second, third] = links
    assert.ok(first && first === second && third && third !== first)
  })

  it('ask for the link again where the person has one, and spend no send attempt on it', async () => {
    const tenant = await createTenant(node, {
      ...link,
      routing: { default: ['whatsapp', 'sms'] },
      max_sends: 1,
    })
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    await putRules(node, tenant.appId, [{ then: { action: 'link' } }])
    const again = await resend(node, tenant.serverKey, body.otp_id, 'sms')
    assert.equal(again.body.action_url, body.action_url, JSON.stringify(again.body))
  })

  describe('that let pass', () => {
    const pass = [{ then: { action: 'pass' } }] as const

    it('let an abusive address through, which is still held to the limit of flagged ones', async () => {
      const { serverKey } = await tenantWith(node, pass, {
        limits: { flagged_ip: [{ max: 1, window_s: 600 }] },
      })
      const body = () => ({ recipient: freshPhone(), client_ip: listed.abusive })
      const first = await send(node, serverKey, body())
      assert.equal(first.status, 200, JSON.stringify(first.body))
      assertRefused(await send(node, serverKey, body()), 429, 'RateLimitExceededError', 'flagged_ip')
    })

    it('leave countries, limits, caps and the balance as they are', async () => {
      const geo = await tenantWith(node, pass, { geo: { mode: 'block', countries: ['GB'] } })
      assertRefused(await send(node, geo.serverKey, { recipient: freshPhone() }), 403, 'GeoBlockedError')
      const few = await tenantWith(node, pass, { limits: { recipient: [{ max: 1, window_s: 600 }] } })
      const recipient = freshPhone()
      assert.equal((await send(node, few.serverKey, { recipient })).status, 200)
      assertRefused(
        await send(node, few.serverKey, { recipient }),
        429,
        'RateLimitExceededError',
        'recipient',
      )
      const poor = await createTenant(node, {}, { balance: '0' })
      await putRules(node, poor.appId, pass)
      const unpaid = await send(node, poor.serverKey, { recipient: freshPhone() })
      assertRefused(unpaid, 402, 'InsufficientFundsError')
    })

    it('let through what the guard against pumping holds back', async () => {
      const tenant = await createTenant(node, { pumping: { mode: 'enforce' } })
      const recipients = Array.from({ length: 60 }, () => freshPhone())
      let stopped: string | null = null
      for (const recipient of recipients) {
        const { status } = await send(node, tenant.serverKey, { recipient })
        if (status === 429) stopped = recipient
        if (stopped) break
      }
      assert.ok(stopped, 'the guard never stopped anything')
      await putRules(node, tenant.appId, [{ then: { action: 'pass' } }])
      const passed = await send(node, tenant.serverKey, { recipient: stopped })
      assert.equal(passed.status, 200, JSON.stringify(passed.body))
    })
  })

  it('cost an app without any no row and no read', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    assert.deepEqual(await saidOf(node, tenant.serverKey, otpId), [])
    const keys = await database.query<{ key: string }>(
      `select encode(limit_key, 'escape') as key from limits where company_id = $1`,
      [tenant.companyId],
    )
    assert.ok(keys.every(({ key }) => !key.startsWith('own-')))
  })
})
