/** An app's own rules that hold or limit: whom, for how long, and across nodes. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshEmail, freshPhone, resend, send, started, type Tenant, verify } from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { startTwoNodes } from './harness/two-nodes.ts'
import { previewOf, putRules, saidOf, tenantWith } from './rules-support.ts'
import { startSendService } from './send-support.ts'

const { node, database, close } = await startSendService()
after(close)

describe('rules of one’s own', () => {
  describe('that hold', () => {
    const hold = [{ name: 'Wait', then: { action: 'hold', minutes: 2 } }] as const
    /** As if all of it had happened this much earlier. */
    const older = (seconds: number, { companyId }: Tenant) =>
      database.query(
        `update limits set state = array(select t - $2::bigint * 1000 from unnest(state) t) where company_id = $1`,
        [companyId, seconds],
      )

    it('let the recipient through so many minutes after the first try, however often they tried', async () => {
      const tenant = await tenantWith(node, hold)
      const recipient = freshPhone()
      const first = await send(node, tenant.serverKey, { recipient })
      assert.equal(first.body.error.details.retry_after, 120)
      await older(60, tenant)
      const second = await send(node, tenant.serverKey, { recipient })
      assert.ok(second.body.error.details.retry_after <= 60)
      await older(60, tenant)
      const third = await started(node, tenant.serverKey, recipient)
      assert.equal((await resend(node, tenant.serverKey, third.otpId)).status, 200)
      assertRefused(
        await send(node, tenant.serverKey, { recipient: freshPhone() }),
        429,
        'RateLimitExceededError',
      )
    })

    it('begin anew a day after the wait was over', async () => {
      const tenant = await tenantWith(node, hold)
      const recipient = freshPhone()
      await send(node, tenant.serverKey, { recipient })
      await older(86_400 + 60, tenant)
      assert.equal((await send(node, tenant.serverKey, { recipient })).status, 200)
      await older(60, tenant)
      const again = await send(node, tenant.serverKey, { recipient })
      assert.equal(again.body.error.details.retry_after, 120)
    })

    it('begin anew where the first try was noted by a clock that was a month ahead', async () => {
      const tenant = await tenantWith(node, hold)
      const recipient = freshPhone()
      await send(node, tenant.serverKey, { recipient })
      await older(-30 * 86_400, tenant)
      const again = await send(node, tenant.serverKey, { recipient })
      assert.equal(again.body.error.details.retry_after, 120)
    })

    it('count from one first try over two nodes', async () => {
      const tenant = await tenantWith(node, hold)
      const nodes = await startTwoNodes(database.url, { capture: node.capture, role: 'api' })
      try {
        const recipient = freshPhone()
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            send(nodes[index % 2] ?? node, tenant.serverKey, { recipient }),
          ),
        )
        for (const answer of answers) assertRefused(answer, 429, 'RateLimitExceededError', 'rule')
        const [row] = await database.query<{ state: string[] }>(
          `select state from limits where company_id = $1`,
          [tenant.companyId],
        )
        assert.equal(row?.state.length, 1)
      } finally {
        await Promise.all(nodes.map((each) => each.close()))
      }
    })

    it('do not write for a preview', async () => {
      const tenant = await tenantWith(node, hold)
      const recipient = freshPhone()
      assert.equal((await previewOf(node, tenant.serverKey, { recipient })).error.details.retry_after, 120)
      assert.deepEqual(
        await database.query('select 1 from limits where company_id = $1', [tenant.companyId]),
        [],
      )
    })
  })

  describe('that limit', () => {
    it('let exactly so many through of fifty at once, over two nodes and all recipients', async () => {
      const tenant = await tenantWith(node, [
        {
          name: 'Few',
          when: { recipient_type: ['phone'] },
          then: { action: 'limit', max: 7, window_s: 600 },
        },
      ])
      const nodes = await startTwoNodes(database.url, { capture: node.capture, role: 'api' })
      try {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            send(nodes[index % 2] ?? node, tenant.serverKey, { recipient: freshPhone() }),
          ),
        )
        const passed = answers.filter(({ status }) => status === 200)
        assert.equal(passed.length, 7)
        for (const answer of answers.filter(({ status }) => status !== 200))
          assertRefused(answer, 429, 'RateLimitExceededError', 'rule')
      } finally {
        await Promise.all(nodes.map((each) => each.close()))
      }
      // A send that the rule does not apply to is neither counted nor held.
      assert.equal((await send(node, tenant.serverKey, { recipient: freshEmail() })).status, 200)
    })

    it('count in shadow what they would let through, and no more', async () => {
      const tenant = await tenantWith(node, [
        { mode: 'shadow', then: { action: 'limit', max: 2, window_s: 600 } },
      ])
      const effects: (string | undefined)[] = []
      for (let round = 0; round < 4; round++) {
        const { otpId } = await started(node, tenant.serverKey)
        effects.push((await saidOf(node, tenant.serverKey, otpId))[0]?.facts.effect)
      }
      assert.deepEqual(effects, ['none', 'none', 'refuse', 'refuse'])
    })

    it('may be too high to count one by one', async () => {
      const tenant = await tenantWith(node, [{ then: { action: 'limit', max: 5_000, window_s: 60 } }])
      assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
    })
  })

  describe('in a preview', () => {
    const errorOf = async ({ serverKey }: Tenant, recipient: string) =>
      (await previewOf(node, serverKey, { recipient })).error?.type

    it('stand as they do for a send: what was counted, by a rule or for it', async () => {
      const limited = await tenantWith(node, [{ then: { action: 'limit', max: 1, window_s: 600 } }])
      assert.equal(await errorOf(limited, freshPhone()), undefined)
      await started(node, limited.serverKey)
      assert.equal(await errorOf(limited, freshPhone()), 'RateLimitExceededError')
      const counting = await tenantWith(node, [{ when: { sends_of_recipient: { gte: 1, window_s: 600 } } }])
      const { recipient } = await started(node, counting.serverKey)
      assert.equal(await errorOf(counting, recipient), 'RuleBlockedError')
      assert.equal(await errorOf(counting, freshPhone()), undefined)
    })

    it('know who was approved before', async () => {
      const tenant = await tenantWith(node, [])
      const { otpId, code, recipient } = await started(node, tenant.serverKey)
      assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.matched, true)
      await putRules(node, tenant.appId, [{ when: { known: false } }])
      assert.equal(await errorOf(tenant, recipient), undefined)
      assert.equal(await errorOf(tenant, freshPhone()), 'RuleBlockedError')
    })
  })
})
