/** The caps' own tables are missing: everything else goes on. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, resend, send, started, until, verify } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { spendRule } from './spend-support.ts'

const { database, node, close } = await startService()
after(close)

const capped = { spend_caps: { day_by_country: { default: '0.10' }, hour_unverified: 'off' } }

describe('spend caps without their tables', () => {
  for (const table of ['spend_counters', 'spend_notes']) {
    it(`fail open without ${table}: sends, resends, codes, links and failures work, the decision and a metric say so`, async () => {
      const { serverKey, companyId } = await createTenant(node, capped)
      const linked = await createTenant(node, {
        ...capped,
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const earlier = await started(node, serverKey)
      await database.query(`alter table ${table} rename to away`)
      try {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => send(node, serverKey, { recipient: freshPhone() })),
        )
        assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
        const rule = await spendRule(node, serverKey, answers[0]?.body.otp_id)
        assert.equal(rule.outcome, 'skip')
        assert.match(rule.why, /could not be read/)
        assert.equal((await resend(node, serverKey, answers[0]?.body.otp_id)).status, 200)
        assert.equal((await verify(node, serverKey, earlier.otpId, earlier.code)).body.matched, true)
        const look = { key: serverKey, body: { recipient: freshPhone() } }
        assert.equal((await node.call('POST', '/api/v1/routing/preview', look)).body.channel, 'sms')
        const recipient = freshPhone()
        const link = await send(node, linked.serverKey, { recipient })
        await write(node, { from: recipient, text: linkText(link.body.action_url) })
        const linkStatus = await node.call('GET', `/api/v1/otp/${link.body.otp_id}`, {
          key: linked.serverKey,
        })
        assert.equal(linkStatus.body.status, 'approved')
        const unreached = freshPhone()
        // Messages of earlier sends may still be under way.
        node.capture.answerWith(({ recipient }) =>
          recipient === unreached
            ? { kind: 'refused', error: { code: 'refused', message: 'No.' } }
            : { kind: 'accepted', messageId: null },
        )
        const failed = await send(node, serverKey, { recipient: unreached })
        await until('the failure and its money', async () => {
          const { body } = await node.call('GET', `/api/v1/otp/${failed.body.otp_id}`, { key: serverKey })
          return body.deliveries[0].status === 'failed'
        })
        const ledger = await node.manage('GET', `/companies/${companyId}/ledger`)
        assert.equal(
          ledger.body.entries.filter((entry: { kind: string }) => entry.kind === 'return').length,
          1,
        )
        const metrics = await node.call('GET', '/metrics')
        assert.match(String(metrics.body), /countersign_spend_skipped_total [1-9]/)
      } finally {
        node.capture.answerWith(null)
        await database.query(`alter table away rename to ${table}`)
      }
      const after = await createTenant(node, capped)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => send(node, after.serverKey, { recipient: freshPhone() })),
      )
      assert.equal(answers.filter((answer) => answer.status === 200).length, 2)
    })
  }
})
