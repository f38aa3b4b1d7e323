/** Figures by the channel that a verification began on, by account and by error; and those of a company without traffic. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gatherSlice } from '../src/domain/insight/figures/gather-store.ts'
import { readProgress } from '../src/domain/insight/figures/store.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
} from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

describe('figures by other ways', () => {
  it('count a verification for the channel that it began on, by account and by error code, with what an approval cost', async () => {
    const tenant = await createTenant(node, { routing: { default: ['sms', 'whatsapp'] } })
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    await message(node, recipient)
    assert.equal((await resend(node, tenant.serverKey, body.otp_id)).body.channel, 'whatsapp')
    const { code } = await message(node, recipient, 1)
    assert.equal((await verify(node, tenant.serverKey, body.otp_id, code)).body.matched, true)
    node.capture.answerWith(() => ({ kind: 'refused', error: { code: 'no_route', message: 'No.' } }))
    try {
      await send(node, tenant.serverKey, { recipient: freshPhone() })
      await until('it fails', async () => {
        const rows = await database.query(
          `select 1 from deliveries where app_id = $1 and status = 'failed'`,
          [tenant.appId],
        )
        return rows.length === 1
      })
    } finally {
      node.capture.answerWith(null)
    }
    const ways = async (by: string) =>
      (await node.manage('GET', `/apps/${tenant.appId}/stats/ways?by=${by}`)).body
    const began = await ways('channel_started')
    assert.deepEqual(
      began.rows.map((row: Record<string, unknown>) => [row.key, row.sends, row.messages, row.approvals]),
      [['sms', 2, 3, 1]],
    )
    const { cost, cost_per_approval } = began.rows[0]
    assert.equal(cost_per_approval, cost)
    const accounts = await ways('provider')
    assert.deepEqual(
      accounts.rows.map((row: Record<string, unknown>) => [row.key, row.messages, row.failed]).toSorted(),
      [
        ['capture-sms', 2, 1],
        ['capture-whatsapp', 1, 0],
      ],
    )
    const errors = await ways('error')
    assert.deepEqual(
      errors.rows.map((row: Record<string, unknown>) => [row.key, row.failed, row.conversion]),
      [['no_route', 1, 0]],
    )
    const { body: stats } = await node.manage('GET', `/apps/${tenant.appId}/stats?by=channel`)
    assert.equal(stats.total.cost_per_approval, stats.total.cost)
  })

  it('are the same once they are gathered, also of what began with a link and went on by text message', async () => {
    const { appId, serverKey } = await createTenant(node, {
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_code' } },
      resend_cooldown_s: 0,
    })
    const recipient = freshPhone()
    const { body } = await send(node, serverKey, { recipient })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).body.channel, 'whatsapp')
    for (let sent = 0; sent < 2; sent++) {
      assert.equal((await resend(node, serverKey, body.otp_id, 'sms')).status, 200)
      await message(node, recipient, sent)
    }
    const ways = async (by: string) =>
      (await node.manage('GET', `/apps/${appId}/stats/ways?by=${by}`)).body.rows.map(
        (row: Record<string, unknown>) => [row.key, row.sends, row.messages, row.cost],
      )
    const answers = async () => [await ways('channel_started'), await ways('provider'), await ways('error')]
    const fresh = await answers()
    assert.deepEqual(fresh, [[['whatsapp', 2, 2, '0.100000']], [['capture-sms', 1, 2, '0.100000']], []])
    const minutes = 10 * 60_000
    const { gatheredToMs } = await readProgress(node.app.database)
    try {
      for (let fromMs = gatheredToMs; fromMs < Date.now(); fromMs += minutes)
        await gatherSlice(node.app.database, fromMs, fromMs + minutes)
      assert.deepEqual(await answers(), fresh)
    } finally {
      await database.query('update figures_progress set gathered_to = $1', [new Date(gatheredToMs)])
      for (const table of ['figures', 'way_figures']) await database.query(`delete from ${table}`)
    }
  })

  it('work for a company that is a minute old, with prices of zero and without traffic', async () => {
    const { companyId, appId, serverKey } = await createTenant(node, {}, { metered: false })
    for (const by of ['channel_started', 'provider', 'error']) {
      const { status, body } = await node.manage('GET', `/apps/${appId}/stats/ways?by=${by}`)
      assert.deepEqual([status, body.rows], [200, []])
    }
    const spend = async () => (await node.manage('GET', `/companies/${companyId}/spend`)).body
    const none = await spend()
    assert.deepEqual([none.spent, none.per_day, none.days_left], ['0.000000', '0.000000', null])
    assert.equal(none.by_day.length, 30)
    const { otpId, code } = await started(node, serverKey)
    await verify(node, serverKey, otpId, code)
    const free = await spend()
    assert.deepEqual([free.spent, free.days_left], ['0.000000', null])
  })

  it('say how long a balance lasts by the time that there is, and what each day cost', async () => {
    const tenant = await createTenant(node, {}, { balance: '10' })
    for (let count = 0; count < 4; count++) await started(node, tenant.serverKey)
    const { body } = await node.manage('GET', `/companies/${tenant.companyId}/spend`)
    // Four messages in less than an hour count as one hour's: 0.20 an hour is 4.80 a day, and 9.80 are left.
    assert.deepEqual([body.spent, body.per_day, body.days_left], ['0.200000', '4.800000', 2])
    // The last two days, because midnight may pass.
    const days = body.by_day.slice(-2).map((each: { spent: string }) => Number(each.spent))
    assert.equal(days[0] + days[1], 0.2)
    await database.query(
      `update companies set created_at = created_at - interval '30 days' where company_id = $1`,
      [tenant.companyId],
    )
    const later = (await node.manage('GET', `/companies/${tenant.companyId}/spend`)).body
    assert.ok(later.days_left > 300)
  })
})
