/** Figures: that they are right, and who sees them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gatherSlice } from '../src/domain/insight/figures/gather-store.ts'
import { createApp, createTenant, freshEmail, freshPhone, send, verify } from './harness/fixtures.ts'
import { seedVerifications } from './harness/seed.ts'
import { dayMs, hourMs, hourOf, iso, minuteMs, startFigures } from './insight-stats-support.ts'

const {
  database,
  nodes: [node],
  close,
  ask,
  stats,
  markAt,
} = await startFigures()
after(close)

describe('figures', () => {
  it('count what was done through the API at once', async () => {
    const tenant = await createTenant(node)
    const { otp_id: otpId } = (await send(node, tenant.serverKey, { recipient: freshPhone() })).body
    await verify(node, tenant.serverKey, otpId, node.app.keyring().code(1, otpId, 1, 6))
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    await send(node, tenant.serverKey, { recipient: freshEmail() })
    const { total, rows } = await stats(tenant, { by: 'channel' })
    assert.deepEqual([total.sends, total.messages, total.approvals, total.cost], [3, 3, 1, '0.101000'])
    assert.deepEqual(
      rows.map(({ key, sends, approvals, conversion }) => [key, sends, approvals, conversion]),
      [
        ['sms', 2, 1, 0.5],
        ['email', 1, 0, 0],
      ],
    )
    assert.ok((total.seconds_to_approve?.p50 ?? 99) < 10)
    const countries = await stats(tenant, { by: 'country' })
    assert.deepEqual(
      countries.rows.map(({ key, sends, cost }) => [key, sends, cost]),
      [
        ['GB', 2, '0.100000'],
        ['none', 1, '0.001000'],
      ],
    )
  })

  it('of what a company spent hold for all its apps, gathered or not, and for nobody else’s', async () => {
    const [first, other] = [await createTenant(node), await createTenant(node)]
    const apps = [first, ...(await Promise.all([1, 2].map(() => createApp(node, first.companyId))))]
    const beginMs = hourOf(Date.now()) - 30 * hourMs
    const message = { status: 'sent', priceMicros: 250_000 }
    for (const app of [...apps, other]) {
      const times = [Date.now() - 8 * dayMs, beginMs + 1, Date.now() - minuteMs]
      await seedVerifications(
        database,
        app,
        times.map((atMs) => ({ atMs, message })),
      )
    }
    const spend = async () => {
      const { body } = await node.manage('GET', `/companies/${first.companyId}/spend`)
      return { days: body.days, spent: body.spent }
    }
    await markAt(beginMs)
    assert.deepEqual(await spend(), { days: 7, spent: '1.500000' })
    await gatherSlice(node.app.database, beginMs, beginMs + 10 * minuteMs)
    assert.deepEqual(await spend(), { days: 7, spent: '1.500000' })
  })

  it('give times to approve within five percent, fresh and gathered', async () => {
    const tenant = await createTenant(node)
    const beginMs = hourOf(Date.now()) - 10 * hourMs
    // Spread over the orders of magnitude that people take, by a sequence that fills an interval evenly.
    const times = Array.from({ length: 1_000 }, (_, index) =>
      Math.round(1_000 * Math.exp(((index * 0.618_034) % 1) * Math.log(600))),
    )
    await markAt(beginMs)
    await seedVerifications(
      database,
      tenant,
      times.map((approvedAfterMs, index) => ({ atMs: beginMs + index * 1_000, approvedAfterMs })),
    )
    const sorted = times.toSorted((left, right) => left - right)
    const check = async () => {
      const seen = (await stats(tenant)).total.seconds_to_approve
      for (const [percent, found] of [
        [50, seen?.p50 ?? 0],
        [95, seen?.p95 ?? 0],
      ] as const) {
        const exact = (sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0) / 1_000
        assert.ok(Math.abs(found / exact - 1) < 0.05, `p${percent}: ${found} for ${exact}`)
      }
    }
    await check()
    for (let slice = 0; slice < 2; slice++)
      await gatherSlice(
        node.app.database,
        beginMs + slice * 10 * minuteMs,
        beginMs + (slice + 1) * 10 * minuteMs,
      )
    await check()
  })

  it('count a message when it was made, under its own channel, and a verification when it began', async () => {
    const tenant = await createTenant(node)
    const hour = hourOf(Date.now()) - 8 * hourMs
    await markAt(hour)
    await seedVerifications(database, tenant, [
      {
        atMs: hour + 59 * minuteMs,
        channel: 'whatsapp',
        approvedAfterMs: 5 * minuteMs,
        messageChannel: 'sms',
        message: { status: 'delivered', priceMicros: 50_000, atMs: hour + 61 * minuteMs },
      },
    ])
    const range = { from: iso(hour), to: iso(hour + 2 * hourMs) }
    const byHour = await stats(tenant, { by: 'hour', ...range })
    assert.deepEqual(
      byHour.rows.map(({ key, sends, approvals, messages, cost }) => [key, sends, approvals, messages, cost]),
      [
        [iso(hour), 1, 1, 0, '0.000000'],
        [iso(hour + hourMs), 0, 0, 1, '0.050000'],
      ],
    )
    const byChannel = await stats(tenant, { by: 'channel', ...range })
    assert.deepEqual(
      byChannel.rows.map(({ key, sends, messages, conversion }) => [key, sends, messages, conversion]),
      [
        ['whatsapp', 1, 0, 1],
        ['sms', 0, 1, null],
      ],
    )
  })

  it('do not count what was returned as cost', async () => {
    const tenant = await createTenant(node)
    const now = Date.now()
    await seedVerifications(database, tenant, [
      { atMs: now - 1_000, message: { status: 'failed', priceMicros: 50_000 } },
      { atMs: now - 900, message: { status: 'sent', priceMicros: 20_000 } },
    ])
    assert.equal((await stats(tenant)).total.cost, '0.020000')
  })

  it('have a row for every hour or day of the range, also without anything in it', async () => {
    const tenant = await createTenant(node)
    const days = await stats(tenant)
    assert.equal(days.rows.length, 8)
    assert.equal(days.from.slice(10), 'T00:00:00.000Z')
    for (const [index, row] of days.rows.entries()) {
      assert.equal(row.key, iso(Date.parse(days.from) + index * dayMs))
      assert.deepEqual([row.sends, row.conversion, row.seconds_to_approve], [0, null, null])
    }
    const day = iso(Date.now() - 5 * dayMs).slice(0, 10)
    const hours = await stats(tenant, { by: 'hour', from: `${day}T09:30:00+01:00`, to: `${day}T13:00:00Z` })
    assert.deepEqual(
      hours.rows.map(({ key }) => key),
      ['08', '09', '10', '11', '12'].map((hour) => `${day}T${hour}:00:00.000Z`),
    )
    assert.deepEqual((await stats(tenant, { by: 'country' })).rows, [])
    const year = await stats(tenant, { from: iso(Date.now() - 400 * dayMs + minuteMs) })
    assert.ok(year.rows.length >= 400 && year.rows.length <= 402)
  })

  it('of a range that lies ahead are empty, as long as it says where it ends: a clock that asks may be ahead', async () => {
    const tenant = await createTenant(node)
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    const tomorrow = (Math.floor(Date.now() / dayMs) + 1) * dayMs
    const from = iso(tomorrow)
    for (const by of ['country', 'day', 'hour'])
      assert.equal((await stats(tenant, { by, from, to: iso(tomorrow + dayMs) })).total.sends, 0)
    assert.equal((await ask(tenant, { from, by: 'country' })).status, 422)
  })

  it('of a range that is too long, empty or turned round are refused by name', async () => {
    const tenant = await createTenant(node)
    const now = Date.now()
    const refused: Record<string, string>[] = [
      { from: iso(now - 401 * dayMs) },
      { from: iso(now - 15 * dayMs), by: 'hour' },
      { from: iso(now - 70 * dayMs), to: iso(now - 69 * dayMs), by: 'hour' },
      { from: iso(now), to: iso(now) },
      { from: iso(now), to: iso(now - 1) },
      { from: '0001-01-01T00:00:00Z' },
    ]
    for (const query of refused) {
      const answer = await ask(tenant, query)
      assert.equal(answer.status, 422, JSON.stringify(query))
      assert.equal(answer.body.error.details.fields[0].path, 'from')
    }
    const wrong: Record<string, string> = { by: 'week', channel: 'fax', country: 'XX', to: 'now', zone: 'x' }
    for (const [path, value] of Object.entries(wrong)) {
      const answer = await ask(tenant, { [path]: value })
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.details.fields[0].path, path)
    }
  })

  it('are the app’s own', async () => {
    const [tenant, stranger] = [await createTenant(node), await createTenant(node)]
    await seedVerifications(database, tenant, [{ atMs: Date.now() - 5 * minuteMs }])
    assert.equal((await stats(tenant)).total.sends, 1)
    assert.equal((await stats(stranger)).total.sends, 0)
    assert.equal((await ask({ ...tenant, appId: 'app_01m7etd47kydkw8sn09atxkzjm' })).status, 404)
  })
})
