/** The guard's own tables are missing, or contain invalid data: everything else goes on. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  resend,
  send,
  started,
  type Tenant,
  until,
  verify,
} from './harness/fixtures.ts'
import { joining } from './harness/held-table.ts'
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

  it('is without one company whose row somebody has, and guards the others that share its batch', async () => {
    const fillers = await Promise.all([1, 2, 3].map(() => createTenant(node)))
    const [held, other] = await Promise.all([1, 2].map(() => createGrownTenant(node, database, enforce)))
    assert.ok(held && other)
    const person = '+994504490001'
    await send(node, held.serverKey, { recipient: person })
    const join = (tenants: readonly Tenant[], recipient = freshPhone()) =>
      joining({ node, keys: tenants.map(({ serverKey }) => serverKey) }, () =>
        tenants.map(({ serverKey }) => send(node, serverKey, { recipient })),
      )
    const lockRow = `begin; select 1 from pumping_acquaintances where app_id = '${held.appId}' for update`
    await whileLocked(lockRow, () =>
      // On a machine so slow that five seconds pass meanwhile they get a 503, and this is repeated.
      until('both to be decided', async () => {
        const shared = await whileLocked('begin; lock table companies in exclusive mode', async () => {
          // As many batches as run in parallel, so that the next two calls share a batch.
          for (const filler of fillers) await join([filler])
          return join([held, other], person)
        })
        const answers = await Promise.all(shared)
        if (answers.some(({ status }) => status === 503)) return false
        const [ofHeld, ofOther] = answers.map(({ body }) => body.otp_id)
        assert.equal((await pumpingRule(node, held.serverKey, ofHeld)).outcome, 'skip')
        assert.equal((await pumpingRule(node, other.serverKey, ofOther)).outcome, 'pass')
        return true
      }),
    )
  })

  it('fails open while somebody has one of its tables whole', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    await whileLocked('begin; lock table pumping_states', async () => {
      const { status, body } = await send(node, serverKey, { recipient: freshPhone() })
      assert.equal(status, 200)
      assert.equal((await pumpingRule(node, serverKey, body.otp_id)).outcome, 'skip')
    })
  })

  async function whileLocked<Result>(lock: string, run: () => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query(lock)
      return await run()
    } finally {
      await client.end()
    }
  }
})
