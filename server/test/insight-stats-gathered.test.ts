/** Figures as they are gathered: that each verification is in them once, and that they are the same before and after. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { endOfSlice, gatherSlice, readProgress } from '../src/domain/insight/figures-store.ts'
import { gatherFigures } from '../src/domain/insight/index.ts'
import { newId } from '../src/platform/ids.ts'
import { deleteExpired } from '../src/worker/upkeep.ts'
import { createTenant, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { type Seeded, seedVerifications } from './harness/seed.ts'
import { hourMs, hourOf, iso, minuteMs, startFigures } from './insight-stats-support.ts'

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

  it('are gathered of a table that PostgreSQL knows nothing about yet', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 35 * hourMs
    await markAt(fromMs)
    const count = 5_000
    await seedVerifications(
      database,
      tenant,
      Array.from({ length: count }, (_, index) => ({
        atMs: fromMs + index,
        message: { status: 'sent', priceMicros: 5 },
      })),
    )
    await gatherSlice(node.app.database, fromMs, fromMs + 10 * minuteMs)
    const stored = await database.query(
      `select way, sends, messages from way_figures where app_id = $1 and span = 'hour' order by way`,
      [tenant.appId],
    )
    const all = { sends: count, messages: count }
    assert.deepEqual(stored, [
      { way: 'channel_started', ...all },
      { way: 'provider', ...all },
    ])
  })

  it('are gathered in smaller slices where much was sent, each verification with its later messages', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 50 * hourMs
    const toMs = fromMs + 10 * minuteMs
    await markAt(fromMs)
    const seeded: Seeded[] = Array.from({ length: 25 }, (_, index) => ({
      atMs: fromMs + index * 1_000,
      message: { status: 'delivered', priceMicros: 5 },
    }))
    const [first] = await seedVerifications(database, tenant, seeded)
    // Sent again, an hour later.
    await database.query('update verifications set sends = 2 where otp_id = $1', [first])
    await database.query(
      `insert into deliveries (app_id, delivery_id, company_id, otp_id, channel, provider_id, code_version, status, give_up_at,
              price_micros, charge, created_at, updated_at)
       select $1, $2, $3, $4, 'sms', 'second', 1, 'delivered', now(), 5, 'captured', now(), now()`,
      [tenant.appId, newId('delivery', fromMs + hourMs), tenant.companyId, first],
    )
    const ends: number[] = []
    for (let from = fromMs; from < toMs; from = ends.at(-1) ?? toMs) {
      const end = await endOfSlice(node.app.database, { fromMs: from, toMs, most: 10 })
      await gatherSlice(node.app.database, from, end)
      ends.push(end)
    }
    assert.deepEqual(ends, [fromMs + 10_000, fromMs + 20_000, toMs])
    const stored = await database.query(
      `select way, key, sends, messages from way_figures where app_id = $1 and span = 'hour' order by way, key`,
      [tenant.appId],
    )
    assert.deepEqual(stored, [
      { way: 'channel_started', key: 'sms', sends: 25, messages: 26 },
      { way: 'provider', key: 'capture-sms', sends: 25, messages: 25 },
      { way: 'provider', key: 'second', sends: 1, messages: 1 },
    ])
    const more = { fromMs, toMs: fromMs + 1_000, most: 0 }
    assert.equal(await endOfSlice(node.app.database, more), fromMs + 1, 'it always goes on')
  })

  it('count every message once, wherever slices are cut and however late it was sent', async () => {
    const tenant = await createTenant(node)
    const fromMs = hourOf(Date.now()) - 60 * hourMs
    const toMs = fromMs + 10 * minuteMs
    await markAt(fromMs)
    const cuts = [fromMs, fromMs + 1, fromMs + 60_000, fromMs + 60_001, fromMs + 5 * minuteMs, toMs]
    const atMs = cuts.slice(0, -1)
    const long = await seedVerifications(
      database,
      tenant,
      [...atMs, ...atMs].map((startedMs) => ({
        atMs: startedMs,
        message: { status: 'sent', priceMicros: 5 },
      })),
    )
    await database.query('update verifications set sends = 3 where otp_id = any($1)', [
      long.slice(0, atMs.length),
    ])
    await database.query(`update verifications set link_mode = 'link_code' where otp_id = any($1)`, [
      long.slice(atMs.length),
    ])
    // On each end of a slice, of what is read with it, and of what is looked up.
    const laterMs = cuts.flatMap((cutMs) => [
      ...[-1, 0, 1].map((ms) => cutMs + ms),
      ...[-1, 0, 1].map((ms) => cutMs + minuteMs + ms),
    ])
    const messages = long.flatMap((otpId, index) =>
      [...laterMs, fromMs + 2 * hourMs - 1]
        .filter((sentMs) => sentMs >= (atMs[index % atMs.length] ?? 0))
        .map((sentMs) => [newId('delivery', sentMs), otpId]),
    )
    await database.query(
      `insert into deliveries (app_id, delivery_id, company_id, otp_id, channel, provider_id, code_version, status, give_up_at,
              price_micros, charge, created_at, updated_at)
       select $1, delivery_id, $2, otp_id, 'sms', 'later', 1, 'delivered', now(), 5, 'captured', now(), now()
         from unnest($3::text[], $4::text[]) message (delivery_id, otp_id)`,
      [tenant.appId, tenant.companyId, messages.map(([id]) => id), messages.map(([, otpId]) => otpId)],
    )
    const range = { from: iso(fromMs), to: iso(fromMs + 5 * hourMs) }
    const answers = () => Promise.all(groupings.map((by) => ways(tenant, { by, ...range })))
    const fresh = await answers()
    assert.equal(fresh[0]?.rows[0]?.messages, long.length + messages.length)
    for (const [index, cutMs] of cuts.slice(1).entries()) {
      await gatherSlice(node.app.database, cuts[index] ?? 0, cutMs)
      assert.deepEqual(await answers(), fresh, `up to ${cutMs - fromMs}`)
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
