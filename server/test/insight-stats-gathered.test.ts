/** Gathering figures: each verification is counted once, and figures are the same before and after. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gatherSlice } from '../src/domain/insight/figures/gather-store.ts'
import { readProgress } from '../src/domain/insight/figures/store.ts'
import { gatherFigures } from '../src/domain/insight/index.ts'
import { openDatabase } from '../src/platform/database.ts'
import { deleteExpired } from '../src/platform/kept.ts'
import { createTenant, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { makePastDay, type Seeded, seedVerifications } from './harness/seed.ts'
import { createVirtualClock } from './harness/virtual-clock.ts'
import { dayMs, hourMs, hourOf, iso, minuteMs, startFigures } from './insight-stats-support.ts'

const {
  database,
  nodes: [node, second],
  close,
  stats,
  ways,
  markAt,
} = await startFigures()
after(close)

const groupings = ['channel_started', 'provider', 'error']

describe('gathering figures', () => {
  /** Spread over two days, so that there are some in hours and in days, gathered and not gathered. */
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
    assert.ok(gatheredToMs <= Date.now() - 30 * minuteMs && gatheredToMs > now - 41 * minuteMs)
  })

  it('wait for a verification that resends keep open, and for the receipt of its last message', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 2 * hourMs
    const [otpId] = await seedVerifications(database, tenant, [{ atMs: fromMs + 25 * minuteMs }])
    const expires = (minutes: number) =>
      database.query(
        `update verifications set expires_at = now() + $2 * interval '1 minute' where otp_id = $1`,
        [otpId, minutes],
      )
    const gatheredTo = async () => {
      await gatherFigures(node.app.database)
      return (await readProgress(node.app.database)).gatheredToMs
    }
    await markAt(fromMs)
    for (const minutes of [5, -15]) {
      await expires(minutes)
      assert.equal(await gatheredTo(), fromMs + 20 * minuteMs)
    }
    await expires(-25)
    assert.ok((await gatheredTo()) > fromMs + 30 * minuteMs)
    assert.equal((await stats(tenant, { by: 'channel' })).total.sends, 1)
  })

  it('pass a year in which the service was off in one step, and gather what came before and after it', async () => {
    const tenant = await createTenant(node)
    const offMs = Math.floor(Date.now() / dayMs - 365) * dayMs
    const onMs = hourOf(Date.now()) - 8 * dayMs
    await makePastDay(database, offMs)
    await seedVerifications(database, tenant, [{ atMs: offMs }, { atMs: onMs }])
    await markAt(offMs - 5 * minuteMs)
    // The slice that the mark is in, the one that was sent in, the gap, and the slice behind it.
    await gatherFigures(node.app.database)
    assert.ok((await readProgress(node.app.database)).gatheredToMs > onMs)
    const { total } = await stats(tenant, { by: 'day', from: iso(offMs), to: iso(onMs + hourMs) })
    assert.equal(total.sends, 2)
  })

  it('are the same after the clock was two days ahead and was put right', async () => {
    const tenant = await createTenant(node)
    const clock = await createVirtualClock(database)
    const moved = openDatabase(clock.url, 2, () => {})
    const gatherAll = async () => {
      while (await gatherFigures(moved));
    }
    const now = Date.now()
    await markAt(hourOf(now) - 42 * hourMs)
    await seedVerifications(database, tenant, past(now))
    const range = { from: iso(now - 41 * hourMs), to: iso(now) }
    const answers = () =>
      Promise.all([
        ...questions.map((query) => stats(tenant, { ...query, ...range })),
        ...groupings.map((by) => ways(tenant, { by, ...range })),
      ])
    const fresh = await answers()
    try {
      await clock.advance(2 * 86_400)
      await gatherAll()
      assert.deepEqual(await answers(), fresh)
      await clock.advance(-2 * 86_400)
      await gatherAll()
      assert.deepEqual(await answers(), fresh)
      await seedVerifications(database, tenant, [{ atMs: now }])
      const { total } = await stats(tenant, { by: 'day', ...range })
      assert.equal(total.sends, 401)
    } finally {
      await moved.close()
      await database.query('drop schema virtual cascade')
    }
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
