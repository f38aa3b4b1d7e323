/** What a backtest says about rules, compared with what the same rules did when they were on. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { RuleConditions } from '@countersign/contract'
import { readPrices } from '../src/domain/billing/index.ts'
import { type BacktestBounds, backtestRules } from '../src/domain/insight/index.ts'
import type { AppRef } from '../src/domain/tenancy/index.ts'
import { lowestId } from '../src/platform/ids.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  resend,
  send,
  started,
  type Tenant,
  until,
  verify,
} from './harness/fixtures.ts'
import { joinCompany } from './harness/people.ts'
import { assertRefused } from './harness/refusals.ts'
import { backtestOn, type Draft, period, putRules, ruleOf } from './rules-support.ts'
import { listed, startSendService } from './send-support.ts'

const { node, database, close } = await startSendService()
after(close)

const backtest = backtestOn(node)

interface Send {
  readonly recipient: string
  readonly client_ip?: string
  readonly key?: 'publishable'
}

const homeIp = '81.2.69.142'
/** Traffic of all kinds, with people who come again. */
function traffic(): Send[] {
  const one = freshPhone()
  const french = '+33612345678'
  return [
    { recipient: one },
    { recipient: one, client_ip: homeIp },
    { recipient: freshEmail() },
    { recipient: french },
    { recipient: freshPhone(), client_ip: listed.vpn },
    { recipient: one },
    { recipient: freshPhone(), client_ip: homeIp },
    { recipient: freshPhone(), key: 'publishable' },
    { recipient: french, client_ip: listed.hosting },
    { recipient: one, client_ip: homeIp },
    { recipient: freshPhone(), client_ip: homeIp },
  ]
}

const scenarios: readonly (readonly Draft[])[] = [
  [{ when: { country: ['FR'] } }],
  [{ when: { ip_class: ['vpn', 'hosting'] } }],
  [{ when: { ip_country: ['GB'] } }],
  [
    {
      when: { ip_class: ['none'], recipient_type: ['phone'] },
      then: { action: 'limit', max: 2, window_s: 600 },
    },
  ],
  [{ when: { prefix: ['+336', '+447400'] }, then: { action: 'channels', channels: ['telegram'] } }],
  [{ when: { email_domain: ['example.com'] } }],
  [{ when: { key_kind: ['publishable'] } }],
  [{ when: { sends_of_recipient: { gte: 2, window_s: 600 } } }],
  [{ when: { sends_of_address: { gte: 1, window_s: 600 } } }],
  [
    {
      when: { sends_of_app: { gte: 4, window_s: 600 } },
      then: { action: 'channels', channels: ['telegram', 'email'] },
    },
  ],
  [
    {
      when: { price: { gte: '0.05' }, channel: ['sms'] },
      then: { action: 'channels', channels: ['whatsapp'] },
    },
  ],
  [{ when: { country: ['GB'] }, then: { action: 'hold', minutes: 1 } }],
  [{ then: { action: 'pass' }, when: { country: ['FR'] } }, { when: { recipient_type: ['phone'] } }],
  [
    { when: { country: ['FR'] }, then: { action: 'channels', channels: ['telegram'] } },
    { when: { channel: ['telegram'] }, then: { action: 'limit', max: 1, window_s: 600 } },
  ],
]

describe('a backtest', { concurrency: 4 }, () => {
  for (const drafts of scenarios) {
    it(`says what happens where the same rules are on: ${JSON.stringify(drafts)}`, async () => {
      const before = await createTenant(node)
      const after = await createTenant(node)
      await putRules(node, after.appId, drafts)
      const really = { refuse: 0, hold: 0, reroute: 0 }
      for (const { key, ...body } of traffic()) {
        const keyOf = (tenant: Tenant) => (key ? tenant.publishableKey : tenant.serverKey)
        const [plain, ruled] = await Promise.all([
          send(node, keyOf(before), body),
          send(node, keyOf(after), body),
        ])
        assert.equal(plain.status, 200, JSON.stringify(plain.body))
        const isHeld = drafts.some(({ then }) => then?.action === 'hold')
        if (ruled.status !== 200) really[isHeld && ruled.status === 429 ? 'hold' : 'refuse']++
        else if (ruled.body.channel !== plain.body.channel) really.reroute++
      }
      const told = await backtest(before, drafts)
      assert.equal(told.sends, 11)
      assert.deepEqual(
        { refuse: told.would_refuse, hold: told.would_hold, reroute: told.would_reroute },
        really,
      )
      assert.deepEqual([told.complete, told.next_cursor, told.unknown], [true, null, 0])
      assert.ok(really.refuse + really.hold + really.reroute > 0)
      // In the app where the rules were on, their refusals are recorded too, though without every field that a rule can
      // use.
      if (drafts.some(({ when }) => when?.prefix || when?.ip_class?.includes('vpn'))) return
      const again = await until('what was refused', async () => {
        const told = await backtest(after, drafts)
        return told.sends === 11 && told
      })
      const { would_refuse, would_hold, would_pass } = again
      assert.deepEqual([would_refuse, would_hold, would_pass], [really.refuse, really.hold, 0])
    })
  }

  it('says which sends would pass that earlier rules, lists or the guard refused', async () => {
    const tenant = await createTenant(node)
    await putRules(node, tenant.appId, [{ when: { country: ['FR'] } }])
    for (const recipient of ['+33612345678', '+33612345679'])
      assertRefused(await send(node, tenant.serverKey, { recipient }), 403, 'RuleBlockedError')
    const abusive = { recipient: freshPhone(), client_ip: listed.abusive }
    assertRefused(await send(node, tenant.serverKey, abusive), 403, 'IpReputationBlockedError')
    await until('what was refused', async () => (await backtest(tenant, [])).sends === 3)
    const withoutRule = await backtest(tenant, [{ when: { country: ['DE'] } }])
    assert.deepEqual([withoutRule.would_pass, withoutRule.would_refuse], [2, 0])
    assert.equal(withoutRule.cost_saved, '-0.100000')
    const passing = await backtest(tenant, [
      { name: 'Pass', when: { ip_class: ['abusive'] }, then: { action: 'pass' } },
      { name: 'France', when: { country: ['FR'] } },
    ])
    assert.deepEqual([passing.would_pass, passing.would_refuse], [1, 2])
    assert.equal(passing.rules[0].would_pass, 1)
  })

  it('says how many of those it stops were approved, how many people they are and what they cost', async () => {
    const tenant = await createTenant(node)
    const { otpId, code, recipient } = await started(node, tenant.serverKey)
    await verify(node, tenant.serverKey, otpId, code)
    await started(node, tenant.serverKey, recipient)
    await started(node, tenant.serverKey)
    const second = await started(node, tenant.serverKey)
    await resend(node, tenant.serverKey, second.otpId)
    const told = await backtest(tenant, [{ name: 'All' }])
    assert.deepEqual([told.sends, told.would_refuse, told.approved_among_them, told.people], [5, 5, 1, 3])
    assert.equal(told.cost_saved, '0.220000')
    const [rule] = told.rules
    assert.deepEqual([rule.name, rule.matched, rule.would_refuse], ['All', 5, 5])
    const [example] = told.examples
    assert.equal(example.otp_id, otpId)
    assert.equal(example.masked_recipient, `+44****${recipient.slice(-2)}`)
    assert.ok(!JSON.stringify(told).includes(recipient.slice(3)))
    const known = await backtest(tenant, [{ when: { known: true } }])
    assert.equal(known.would_refuse, 1)
    const off = await backtest(tenant, [{ mode: 'off' }])
    assert.deepEqual([off.sends, off.would_refuse], [5, 0])
  })

  const ofErased: RuleConditions = { email_domain: ['example.com'], known: true }
  for (const [name, wanted] of Object.entries(ofErased)) {
    it(`says what it cannot tell of somebody who was erased: ${name}`, async () => {
      const tenant = await createTenant(node)
      const { recipient } = await started(node, tenant.serverKey, freshEmail())
      await node.manage('POST', `/companies/${tenant.companyId}/erasures`, { recipient })
      const told = await backtest(tenant, [{ when: { [name]: wanted } }])
      assert.deepEqual([told.sends, told.would_refuse, told.unknown], [1, 0, 1])
      assert.deepEqual(told.unknown_conditions, [name])
    })
  }

  it('tells a viewer nothing about the digits of a number: a prefix is unknown to them', async () => {
    const tenant = await createTenant(node)
    const { recipient } = await started(node, tenant.serverKey)
    const told = async (role: 'viewer' | 'developer') => {
      const { call } = await joinCompany(node, tenant.companyId, role)
      const rules = [ruleOf({ when: { prefix: [recipient] } })]
      const { body } = await call('POST', `/apps/${tenant.appId}/rules/backtest`, { rules, ...period() })
      return [body.sends, body.rules[0].matched, body.examples.length, body.unknown_conditions]
    }
    assert.deepEqual(await told('viewer'), [1, 0, 0, ['prefix']])
    assert.deepEqual(await told('developer'), [1, 1, 1, []])
  })

  it('looks at its period alone, and goes on from a cursor with figures that add up', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    // 2,500 more of the same, a millisecond apart, so that they are read in several chunks.
    await database.query(
      `insert into decisions (company_id, app_id, decision_id, otp_id, kind, key_kind, rules, created_at)
       select company_id, app_id, left(decision_id, 14) || lpad(n::text, 16, '0'), otp_id, kind, key_kind, rules,
              created_at + n * interval '1 millisecond'
         from decisions, generate_series(1, 2500) n where otp_id = $1`,
      [otpId],
    )
    const rules = [{ when: { sends_of_recipient: { gte: 100, lte: 899, window_s: 600 } } }] as const
    // A page ends after a few seconds of work, which may not be enough on a busy machine.
    const wholly = (more?: object) =>
      until('a page to end with the last send', async () => {
        const told = await backtest(tenant, rules, more)
        return told.complete && told
      })
    const whole = await wholly()
    assert.equal(whole.sends, 2501)
    const [middle] = await database.query<{ place: string }>(
      'select substr(decision_id, 5) as place from decisions where otp_id = $1 order by decision_id offset 1200 limit 1',
      [otpId],
    )
    const rest = await wholly({ cursor: middle?.place })
    assert.equal(rest.sends, 2501 - 1201)
    // Refused sends are not counted, and a page fills its counters from the sends before it.
    assert.deepEqual([whole.would_refuse, rest.would_refuse], [2401, 1300])
    const early = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    assert.equal((await backtest(tenant, rules, early)).sends, 0)
  })

  it('fills the counters of its rules from sends and refusals before it, within bounds of number and time', async () => {
    const { companyId, appId, serverKey } = await createTenant(node)
    const [early, late] = [await started(node, serverKey), await started(node, serverKey)]
    const fromMs = Date.now() - 60_000
    // Each was refused by an earlier rule, so under the draft it would have been sent, and counts for later ones.
    await database.query(
      `insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, recipient_hash, channel, count, created_at)
       select $1, $2, left($3, 14) || lpad(n::text, 16, '0'), 'send', 'RuleBlockedError', 'own_rule', '{}', '+44****00',
              coalesce(v.recipient_hash, int4send(n)), 'sms', 1, to_timestamp($4::float8 / 1000)
         from generate_series(1, 5000) n
         left join verifications v on v.otp_id = case when n between 3100 and 3109 then $5 when n > 4990 then $6 end`,
      [companyId, appId, lowestId('refusal', fromMs - 1_000), fromMs - 1_000, early.otpId, late.otpId],
    )
    const usual = {
      sends: 1_000,
      ms: 600_000,
      warmingRows: 50_000,
      warmingMs: 600_000,
      nowMs: () => performance.now(),
    }
    const isGone = () => false
    const refused = async (bounds: Partial<BacktestBounds> = {}) => {
      const rules = [ruleOf({ when: { sends_of_recipient: { gte: 10, window_s: 600 } } })]
      const request = { rules, ...period(), from: new Date(fromMs).toISOString(), seesNumbers: true, isGone }
      const dependencies = {
        ...node.app,
        prices: () => readPrices(node.app.database),
        reputation: { countryOf: () => null },
      }
      const app = { companyId, appId } as AppRef
      const told = await backtestRules(dependencies, app, request, { ...usual, ...bounds })
      assert.equal(told.sends, 2)
      return told.examples.map(({ otp_id }) => otp_id)
    }
    assert.deepEqual(await refused(), [early.otpId, late.otpId])
    assert.deepEqual(await refused({ warmingRows: 1_000 }), [late.otpId])
    let nowMs = 0
    const slow = { warmingMs: 6, nowMs: () => ++nowMs }
    assert.deepEqual(await refused(slow), [late.otpId], 'when half of the time is over, the last ones')
    assert.deepEqual(await refused({ ...slow, warmingMs: 0 }), [])
  })

  for (const [title, more] of [
    ['a period of more than thirty days', { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }],
    ['a period that ends before it begins', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
    ['a cursor that is none', { cursor: 'x' }],
    ['a cursor of another period', { cursor: '0'.repeat(26) }],
  ] as const) {
    it(`is refused for ${title}`, async () => {
      const { appId } = await createTenant(node)
      const body = { rules: [], ...period(), ...more }
      assertRefused(await node.manage('POST', `/apps/${appId}/rules/backtest`, body), 422, 'ValidationError')
    })
  }
})
