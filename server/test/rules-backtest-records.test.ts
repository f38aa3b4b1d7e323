/** What a backtest reads of the records: which sends, in which pages, with what went before them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readPrices } from '../src/domain/billing/index.ts'
import { type BacktestBounds, backtestRules } from '../src/domain/insight/index.ts'
import type { AppRef } from '../src/domain/tenancy/index.ts'
import { lowestId } from '../src/platform/ids.ts'
import {
  createApp,
  createTenant,
  freshPhone,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { backtestOn, period, ruleOf } from './rules-support.ts'
import { listed, startSendService } from './send-support.ts'

const { node, database, capture, close } = await startSendService()
after(close)

const backtest = backtestOn(node)

/** Resolves once the clock has passed this moment, which is the first of a new period. */
async function nextMoment(): Promise<string> {
  const beginMs = Date.now() + 1
  await until('the next millisecond', () => Date.now() > beginMs)
  return new Date(beginMs).toISOString()
}

describe('a backtest', () => {
  it('saves nothing of a message whose price was returned', async () => {
    const tenant = await createTenant(node)
    const recipient = freshPhone()
    capture.answerWith((message) =>
      message.recipient === recipient
        ? { kind: 'refused', error: { code: 'no', message: 'No.' } }
        : { kind: 'accepted', messageId: null },
    )
    try {
      const { body } = await send(node, tenant.serverKey, { recipient })
      await until('the failure', async () => {
        const found = await status(node, tenant.serverKey, body.otp_id)
        return found.body.deliveries[0].status === 'failed'
      })
    } finally {
      capture.answerWith(null)
    }
    const told = await backtest(tenant, [{}])
    assert.deepEqual([told.would_refuse, told.cost_saved], [1, '0.000000'])
  })

  it('knows nobody by an approval in another app of the company', async () => {
    const tenant = await createTenant(node)
    const sibling = await createApp(node, tenant.companyId)
    const { otpId, code, recipient } = await started(node, sibling.serverKey)
    assert.equal((await verify(node, sibling.serverKey, otpId, code)).body.matched, true)
    await started(node, tenant.serverKey, recipient)
    assert.equal((await backtest(tenant, [{ when: { known: true } }])).would_refuse, 0)
    assert.equal((await backtest(tenant, [{ when: { known: false } }])).would_refuse, 1)
  })

  it('tests a rule in shadow as if it were on', async () => {
    const tenant = await createTenant(node)
    await started(node, tenant.serverKey)
    assert.equal((await backtest(tenant, [{ mode: 'shadow' }])).would_refuse, 1)
  })

  it('keeps apart what two new rules count', async () => {
    const tenant = await createTenant(node)
    for (const recipient of [freshPhone(), '+33612345678', freshPhone()])
      await started(node, tenant.serverKey, recipient)
    const then = { action: 'limit', max: 1, window_s: 600 } as const
    const told = await backtest(tenant, [
      { name: 'Britain', when: { country: ['GB'] }, then },
      { name: 'France', when: { country: ['FR'] }, then },
    ])
    assert.deepEqual(
      told.rules.map((rule: { name: string; would_refuse: number }) => [rule.name, rule.would_refuse]),
      [
        ['Britain', 1],
        ['France', 0],
      ],
    )
  })

  it('goes on with limits that were reached before its period, and with waits that were over', async () => {
    const tenant = await createTenant(node)
    const { otpId, recipient } = await started(node, tenant.serverKey)
    await database.query(
      `update decisions set created_at = created_at - interval '2 minutes' where otp_id = $1`,
      [otpId],
    )
    const from = await nextMoment()
    await started(node, tenant.serverKey, recipient)
    const limit = await backtest(tenant, [{ then: { action: 'limit', max: 1, window_s: 600 } }], { from })
    assert.deepEqual([limit.sends, limit.would_refuse], [1, 1])
    const hold = await backtest(tenant, [{ then: { action: 'hold', minutes: 1 } }], { from })
    assert.deepEqual([hold.sends, hold.would_hold], [1, 0])
    const longer = await backtest(tenant, [{ then: { action: 'hold', minutes: 5 } }], { from })
    assert.deepEqual([longer.sends, longer.would_hold], [1, 1])
  })

  it('takes a row of many equal refusals for each of them, at the price of one, and knows no class of its address', async () => {
    const tenant = await createTenant(node)
    await database.query(
      `insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, recipient_hash,
                             country, channel, client_ip, price_micros, count, created_at)
       values ($1, $2, $3, 'send', 'RuleBlockedError', 'own_rule', '{}', '+44****00', '\\x01', 'GB', 'sms', $4, 150000, 3, now())`,
      [tenant.companyId, tenant.appId, lowestId('refusal', Date.now()), listed.vpn],
    )
    const dear = await backtest(tenant, [{ when: { price: { gte: '0.06' } } }])
    assert.deepEqual(
      [dear.sends, dear.would_refuse, dear.would_pass, dear.cost_saved],
      [3, 0, 3, '-0.150000'],
    )
    const equal = await backtest(tenant, [{ when: { price: { gte: '0.05', lte: '0.05' } } }])
    assert.deepEqual([equal.would_refuse, equal.cost_saved], [3, '0.000000'])
    const unlisted = await backtest(tenant, [{ when: { ip_class: ['unlisted'] } }])
    assert.deepEqual([unlisted.unknown, unlisted.unknown_conditions], [3, ['ip_class']])
  })

  it('ends a page after so many sends or so much time, says where, and its pages add up', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    await database.query(
      `insert into decisions (company_id, app_id, decision_id, otp_id, kind, key_kind, rules, created_at)
       select company_id, app_id, left(decision_id, 14) || lpad(n::text, 16, '0'), otp_id, kind, key_kind, rules, created_at
         from decisions, generate_series(1, 2500) n where otp_id = $1`,
      [otpId],
    )
    const [sent] = await database.query<{ at: Date }>(
      'select created_at as at from verifications where otp_id = $1',
      [otpId],
    )
    const asked = period()
    const pagesOf = async (bounds: Partial<BacktestBounds>) => {
      const patient = { sends: 1e9, ms: 1e9, warmingRows: 1, warmingMs: 1, nowMs: () => 0, ...bounds }
      const dependencies = {
        ...node.app,
        prices: () => readPrices(node.app.database),
        reputation: { countryOf: () => null },
      }
      const app = { companyId: tenant.companyId, appId: tenant.appId } as AppRef
      const pages = []
      let cursor: string | undefined
      do {
        const request = { rules: [ruleOf({})], ...asked, cursor, seesNumbers: true, isGone: () => false }
        const page = await backtestRules(dependencies, app, request, patient)
        pages.push(page)
        cursor = page.next_cursor ?? undefined
        assert.equal(page.complete, cursor === undefined)
        const endsMs = Date.parse(page.looked_to)
        const wantedMs = page.complete ? Date.parse(asked.to) : (sent?.at.getTime() ?? 0)
        assert.ok(Math.abs(endsMs - wantedMs) < 1_000, `${page.looked_to} is where the page ends`)
      } while (cursor !== undefined)
      return pages.map((page) => page.sends)
    }
    let nowMs = 0
    assert.deepEqual(await pagesOf({}), [2501])
    assert.deepEqual(await pagesOf({ sends: 2_000 }), [2000, 501])
    assert.deepEqual(await pagesOf({ ms: 0, nowMs: () => ++nowMs }), [1000, 1000, 501])
  })

  it('is refused for a cursor behind its period', async () => {
    const { appId } = await createTenant(node)
    const body = { rules: [], ...period(), cursor: `7${'z'.repeat(25)}` }
    assertRefused(await node.manage('POST', `/apps/${appId}/rules/backtest`, body), 422, 'ValidationError')
  })
})
