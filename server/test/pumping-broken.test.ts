/** The guard's own tables are gone, or something in them is no good: everything else goes on. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { resend, send, started, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import {
  attack,
  blockNumbers,
  createGrownTenant,
  enforce,
  freshAddress,
  pumpingRule,
} from './harness/pumping.ts'
import { linkText, write } from './harness/whatsapp.ts'

describe('the guard against pumping without its tables, or with a text that it cannot read', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
  })

  after(async () => {
    await node?.close()
    await database?.close()
  })

  for (const [index, table] of ['pumping_states', 'pumping_acquaintances', 'pumping_approvals'].entries()) {
    it(`fails open without ${table}: sends, resends, codes and links work, the decision and a metric say so`, async () => {
      const { serverKey } = await createGrownTenant(node, database, { pumping: { mode: 'enforce' } })
      const linked = await createGrownTenant(node, database, {
        pumping: { mode: 'enforce' },
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const earlier = await started(node, serverKey, `+99450444123${index}`)
      await database.query(`alter table ${table} rename to away`)
      try {
        const { passed } = await attack(node, serverKey, blockNumbers('+99450444', 24))
        assert.equal(passed.length, 24)
        const rule = await pumpingRule(node, serverKey, passed.at(-1)?.body.otp_id)
        assert.equal(rule.outcome, 'skip')
        assert.equal((await resend(node, serverKey, passed[0]?.body.otp_id)).status, 200)
        assert.equal((await verify(node, serverKey, earlier.otpId, earlier.code)).body.matched, true)
        const link = await send(node, linked.serverKey, { recipient: '+994504449999' })
        await write(node, { from: '+994504449999', text: linkText(link.body.action_url) })
        const status = await node.call('GET', `/api/v1/otp/${link.body.otp_id}`, { key: linked.serverKey })
        assert.equal(status.body.status, 'approved')
        const metrics = await node.call('GET', '/metrics')
        assert.match(String(metrics.body), /countersign_pumping_skipped_total [1-9]/)
      } finally {
        await database.query(`alter table away rename to ${table}`)
      }
      const { stopped } = await attack(node, serverKey, blockNumbers('+99450445', 24))
      assert.ok(stopped.length > 0)
    })
  }

  for (const [what, spoil] of [
    ['an app', `update pumping_states set state = '{' where app_id = $1 and row_key = 'fit'`],
    ['a person', `update pumping_acquaintances set acquaintance = 't1|cnowhere:1' where app_id = $1`],
  ] as const) {
    it(`goes on where a text about ${what} cannot be read, which is logged once, without the number`, async () => {
      const { serverKey, appId } = await createGrownTenant(node, database, enforce)
      const sendTo = async (recipient: string) => {
        const { body } = await send(node, serverKey, { recipient, client_ip: freshAddress() })
        return (await pumpingRule(node, serverKey, body.otp_id)).outcome
      }
      const [one, other] = ['+994504470001', '+994504480001'] as const
      await sendTo(one)
      await database.query(spoil, [appId])
      const before = node.logged.length
      assert.deepEqual([await sendTo(other), await sendTo(one), await sendTo(one)], ['pass', 'pass', 'pass'])
      const told = node.logged.slice(before).filter(({ message }) => message.includes('the guard'))
      assert.equal(told.length, 1)
      assert.doesNotMatch(JSON.stringify(told), /5044[78]0001/)
      const { stopped } = await attack(node, serverKey, blockNumbers('+99450446', 24))
      assert.ok(stopped.length > 0)
    })
  }
})
