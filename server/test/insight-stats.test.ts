/** Figures: that they are right, gathered or not, and that each verification is in them once. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gatherSlice, readProgress } from '../src/domain/insight/figures-store.ts'
import { gatherFigures } from '../src/domain/insight/index.ts'
import { deleteExpired } from '../src/worker/upkeep.ts'
import {
  createApp,
  createTenant,
  freshEmail,
  freshPhone,
  send,
  type Tenant,
  until,
  verify,
} from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { makePastDays, type Seeded, seedVerifications } from './harness/seed.ts'
import { startTwoNodeService } from './harness/service.ts'

const {
  database,
  nodes: [node, second],
  close,
  // Without workers: what is gathered, and when, is up to each test.
} = await startTwoNodeService({ role: 'api' })
after(close)
await makePastDays(database, 9)

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const hourOf = (timeMs: number) => Math.floor(timeMs / hourMs) * hourMs
const iso = (timeMs: number) => new Date(timeMs).toISOString()

interface Row {
  readonly key: string
  readonly sends: number
  readonly messages: number
  readonly delivered: number
  readonly failed: number
  readonly approvals: number
  readonly conversion: number | null
  readonly cost: string
  readonly seconds_to_approve: { p50: number; p95: number } | null
}
interface Stats {
  readonly from: string
  readonly to: string
  readonly by: string
  readonly total: Omit<Row, 'key'>
  readonly rows: Row[]
}

const ask = ({ appId }: Tenant, query: Record<string, string> = {}) =>
  node.manage('GET', `/apps/${appId}/stats?${new URLSearchParams(query)}`)
async function stats(tenant: Tenant, query: Record<string, string> = {}): Promise<Stats> {
  const answer = await ask(tenant, query)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const groupings = ['channel_started', 'provider', 'error']
async function ways(
  { appId }: Tenant,
  query: Record<string, string>,
): Promise<Omit<Stats, 'total'> & { readonly total?: undefined }> {
  const answer = await node.manage('GET', `/apps/${appId}/stats/ways?${new URLSearchParams(query)}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const markAt = (timeMs: number) =>
  database.query('update figures_progress set gathered_to = $1', [new Date(timeMs)])

describe('figures', { timeout: 120_000 }, () => {
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

  /** Spread over two days, so that hours, days, what is gathered and what is not all have some. */
  const past = (now: number): Seeded[] =>
    Array.from({ length: 400 }, (_, index) => ({
      atMs: now - 40 * hourMs + Math.floor((index / 400) * 40 * hourMs),
      channel: index % 3 === 0 ? 'whatsapp' : 'sms',
      country: ['GB', 'BR', null][index % 5] ?? 'DE',
      ...(index % 2 === 0 ? { approvedAfterMs: 3_000 + index * 200 } : {}),
      message: { status: ['delivered', 'sent', 'failed'][index % 3] ?? 'sent', priceMicros: 10_000 + index },
    }))

  const questions: Record<string, string>[] = [
    { by: 'hour' },
    { by: 'day' },
    { by: 'channel' },
    { by: 'country' },
    { by: 'day', channel: 'sms' },
    { by: 'hour', country: 'GB' },
    { by: 'channel', country: 'BR' },
    { by: 'country', channel: 'whatsapp' },
  ]

  it('are the same before they are gathered, while they are, and after', async () => {
    const tenant = await createTenant(node)
    const now = Date.now()
    const seeded = past(now)
    await seedVerifications(database, tenant, seeded)
    const range = { from: iso(now - 41 * hourMs), to: iso(now) }
    const answers = () =>
      Promise.all([
        ...questions.map((query) => stats(tenant, { ...query, ...range })),
        ...groupings.map((by) => ways(tenant, { by, ...range })),
      ])
    const beginMs = hourOf(now) - 42 * hourMs

    await markAt(beginMs)
    const fresh = await answers()
    assert.equal(fresh[0]?.total?.sends, 400)
    assert.equal(fresh[0]?.total?.approvals, 200)
    assert.deepEqual(
      fresh[questions.length]?.rows.map(({ key, sends, approvals }) => [key, sends, approvals]),
      [
        ['sms', 266, 133],
        ['whatsapp', 134, 67],
      ],
    )
    assert.equal(fresh[0]?.total?.failed, seeded.filter(({ message }) => message?.status === 'failed').length)
    for (let slice = 0; slice < 100; slice++) {
      const fromMs = beginMs + slice * 10 * minuteMs
      await gatherSlice(node.app.database, fromMs, fromMs + 10 * minuteMs)
      if (slice === 50) assert.deepEqual(await answers(), fresh)
    }
    assert.deepEqual(await answers(), fresh)
    assert.equal(await gatherFigures(node.app.database), true, 'a hundred slices at a time')
    assert.equal(await gatherFigures(node.app.database), false)
    assert.deepEqual(await answers(), fresh)
    const { gatheredToMs } = await readProgress(node.app.database)
    assert.ok(gatheredToMs <= now - 2 * hourMs + minuteMs && gatheredToMs > now - 2 * hourMs - 11 * minuteMs)
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

  it('are gathered once, though many gather the same at once on two nodes', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 30 * hourMs
    await markAt(fromMs)
    await seedVerifications(
      database,
      tenant,
      Array.from({ length: 100 }, (_, index) => ({
        atMs: fromMs + index,
        approvedAfterMs: 9_000,
        message: { status: 'sent', priceMicros: 5 },
      })),
    )
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gatherSlice((index % 2 ? node : second).app.database, fromMs, fromMs + 10 * minuteMs),
      ),
    )
    const stored = await database.query(
      'select span, sends, messages, approvals, cost_micros::integer as cost, approve_counts from figures where app_id = $1 order by span',
      [tenant.appId],
    )
    const once = { sends: 100, messages: 100, approvals: 100, cost: 500, approve_counts: [100] }
    assert.deepEqual(stored, [
      { span: 'day', ...once },
      { span: 'hour', ...once },
    ])
    assert.equal((await readProgress(node.app.database)).gatheredToMs, fromMs + 10 * minuteMs)
  })

  it('of a node that dies while it gathers are gathered by the next', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 20 * hourMs
    await markAt(fromMs)
    await seedVerifications(database, tenant, [{ atMs: fromMs + 1 }])
    await assert.rejects(
      node.app.database.transaction(async (transaction) => {
        await gatherSlice(transaction, fromMs, fromMs + 10 * minuteMs)
        throw new Error('gone')
      }),
    )
    assert.equal((await readProgress(node.app.database)).gatheredToMs, fromMs)
    const kept = () => database.query('select sends from figures where app_id = $1', [tenant.appId])
    assert.deepEqual(await kept(), [])
    await gatherSlice(second.app.database, fromMs, fromMs + 10 * minuteMs)
    assert.deepEqual(await kept(), [{ sends: 1 }, { sends: 1 }])
  })

  it('are gathered by a running node, by itself', async () => {
    const tenant = await createTenant(node)
    const now = Date.now()
    await markAt(hourOf(now) - 6 * hourMs)
    await seedVerifications(database, tenant, [{ atMs: now - 5 * hourMs }, { atMs: now - minuteMs }])
    const third = await startNode(database.url, { role: 'worker' })
    try {
      await until('the figures', async () => {
        const rows = await database.query(`select sends from figures where app_id = $1 and span = 'hour'`, [
          tenant.appId,
        ])
        return rows.length === 1
      })
    } finally {
      await third.close()
    }
    assert.equal((await stats(tenant)).total.sends, 2)
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
    const year = await stats(tenant, { from: iso(Date.now() - 400 * dayMs + 1_000) })
    assert.ok(year.rows.length >= 400 && year.rows.length <= 402)
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

  it('of days are kept for 400 days, of hours for 60, and then go', async () => {
    await database.query('delete from figures')
    const insert = (span: string, days: number) =>
      database.query(
        `insert into figures select 'cmp_x', 'app_x', $1, at, 'sms', 'GB', 1, 1, 1, 0, 0, 0, '{}', '{}', at + case when $1 = 'day' then 400 else 60 end * interval '1 day'
           from (select now() - $2 * interval '1 day' as at) x`,
        [span, days],
      )
    for (const days of [59, 61]) await insert('hour', days)
    for (const days of [399, 401]) await insert('day', days)
    assert.equal(await deleteExpired(node.app.database, 'figures'), 2)
    const fromMs = hourOf(Date.now()) - 9 * hourMs
    const tenant = await createTenant(node)
    await markAt(fromMs)
    await seedVerifications(database, tenant, [{ atMs: fromMs }])
    await gatherSlice(node.app.database, fromMs, fromMs + 10 * minuteMs)
    const kept = await database.query(
      `select span, extract(day from expires_at - starts_at)::integer as days from figures where app_id = $1 order by span`,
      [tenant.appId],
    )
    assert.deepEqual(kept, [
      { span: 'day', days: 400 },
      { span: 'hour', days: 60 },
    ])
  })
})
