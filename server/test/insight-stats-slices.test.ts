/** Figures are gathered in slices: cut where much was sent, from tables of any age, each message in exactly one. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { endOfSlice, gatherSlice } from '../src/domain/insight/figures/gather-store.ts'
import { newId } from '../src/platform/ids.ts'
import { createTenant, type Tenant } from './harness/fixtures.ts'
import { type Seeded, seedVerifications } from './harness/seed.ts'
import { hourMs, hourOf, iso, minuteMs, startFigures } from './insight-stats-support.ts'

const {
  database,
  nodes: [node],
  close,
  ways,
  markAt,
} = await startFigures()
after(close)

const groupings = ['channel_started', 'provider', 'error']

/** Adds messages of resends, each at its time. */
const sendLater = (
  { appId, companyId }: Tenant,
  messages: readonly (readonly [sentMs: number, otpId: string])[],
) =>
  database.query(
    `insert into deliveries (app_id, delivery_id, company_id, otp_id, channel, provider_id, code_version, status, give_up_at,
            price_micros, charge, created_at, updated_at, event_id)
     select $1, delivery_id, $2, otp_id, 'sms', 'later', 1, 'delivered', now(), 5, 'captured', now(), now(), 'evt_' || substr(delivery_id, 5)
       from unnest($3::text[], $4::text[]) message (delivery_id, otp_id)`,
    [
      appId,
      companyId,
      messages.map(([sentMs]) => newId('delivery', sentMs)),
      messages.map(([, otpId]) => otpId),
    ],
  )

describe('slices of figures', () => {
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
    // A resend an hour later.
    await database.query('update verifications set sends = 2 where otp_id = $1', [first])
    await sendLater(tenant, [[fromMs + hourMs, first ?? '']])
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
      { way: 'provider', key: 'later', sends: 1, messages: 1 },
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
    await database.query(`update verifications set sends = 3, channel = 'whatsapp' where otp_id = any($1)`, [
      long.slice(0, atMs.length),
    ])
    await database.query(
      `update verifications set channel = 'whatsapp', link_mode = 'link_code' where otp_id = any($1)`,
      [long.slice(atMs.length)],
    )
    // Around each end of a slice, and of the margin that is read with it.
    const laterMs = cuts.flatMap((cutMs) => [
      ...[-1, 0, 1].map((ms) => cutMs + ms),
      ...[-1, 0, 1].map((ms) => cutMs + minuteMs + ms),
    ])
    const messages = long.flatMap((otpId, index) =>
      [...laterMs, fromMs + 2 * hourMs - 1]
        .filter((sentMs) => sentMs >= (atMs[index % atMs.length] ?? 0))
        .map((sentMs) => [sentMs, otpId] as const),
    )
    await sendLater(tenant, messages)
    const range = { from: iso(fromMs), to: iso(fromMs + 5 * hourMs) }
    const answers = () => Promise.all(groupings.map((by) => ways(tenant, { by, ...range })))
    const fresh = await answers()
    assert.equal(fresh[0]?.rows[0]?.messages, long.length + messages.length)
    for (const [index, cutMs] of cuts.slice(1).entries()) {
      await gatherSlice(node.app.database, cuts[index] ?? 0, cutMs)
      assert.deepEqual(await answers(), fresh, `up to ${cutMs - fromMs}`)
    }
  })
})
