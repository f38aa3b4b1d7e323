/** However many sends are refused: few rows, exact counts, and no call waits for them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import type { Refusal } from '../src/domain/verification/refusals/refusal.ts'
import { writeRefusals } from '../src/domain/verification/refusals/store.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { startRefusalLog } from '../src/worker/refusals.ts'
import { layCable } from './harness/cable.ts'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, sendPatiently, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { startTwoNodeService } from './harness/service.ts'

const service = await startTwoNodeService()
const { database, nodes } = service
const [node, other] = nodes
after(service.close)

const blocked = { geo: { mode: 'block', countries: ['GB', 'FR'] } }

const aRefusal = {
  kind: 'send',
  otpId: null,
  errorType: 'GeoBlockedError',
  decided: { rule: 'geo', outcome: 'refuse', facts: { because: 'blocked', country: 'GB' } },
  maskedRecipient: '+44****56',
  recipientHash: null,
  channel: 'sms',
  keyId: null,
  clientIp: null,
  priceMicros: 50_000n,
} as const

interface Counted {
  readonly rows: number
  readonly refusals: number
  readonly priceMicros: number
}

async function countRows({ appId }: Pick<Tenant, 'appId'>): Promise<Counted> {
  const [row] = await database.query<{ rows: string; refusals: string; price: string }>(
    `select count(*) as rows, coalesce(sum(count), 0) as refusals, coalesce(sum(price_micros), 0) as price
       from refusals where app_id = $1`,
    [appId],
  )
  return {
    rows: Number(row?.rows),
    refusals: Number(row?.refusals),
    priceMicros: Number(row?.price),
  }
}

const statsOf = async ({ appId }: Pick<Tenant, 'appId'>, by: 'hour' | 'day') =>
  (await node.manage('GET', `/apps/${appId}/refusals/stats?by=${by}`)).body

/** Makes refusals of a few kinds, many at a time. A call that gets a 503, which is no refusal, is repeated. */
async function refuse(tenant: Tenant, count: number, on: readonly Node[] = [node]): Promise<void> {
  let left = count
  const caller = async (index: number) => {
    while (left-- > 0) {
      const to = on[index % on.length]
      assert.ok(to)
      const recipient = index % 3 === 0 ? '+33612345678' : freshPhone()
      const key = index % 2 === 0 ? tenant.serverKey : tenant.publishableKey
      const answer = await sendPatiently(to, key, { recipient })
      assert.equal(answer.status, 403, JSON.stringify(answer.body))
    }
  }
  await Promise.all(Array.from({ length: 24 }, (_, index) => caller(index)))
}

const written = (tenant: Tenant, refusals: number) =>
  until('all of them to be written', async () => (await countRows(tenant)).refusals === refusals)

describe('refusals by the thousand', () => {
  it('become a few hundred rows at most, whose counts and prices add up exactly', async () => {
    const { companyId, appId } = await createTenant(node)
    const log = startRefusalLog({ database: node.app.database, metrics: createMetrics(), log: () => {} })
    const kinds = ['GB', 'FR', 'DE'].map((country) => ({
      ...aRefusal,
      companyId: companyId as Refusal['companyId'],
      appId: appId as Refusal['appId'],
      country,
    }))
    for (let count = 0; count < 10_000; count++) {
      const refusal = kinds[count % kinds.length]
      assert.ok(refusal)
      log.note({ ...refusal, atMs: node.app.clock.nowMs() })
      // Written in many rounds, so that existing rows are updated.
      if (count % 500 === 0) await log.write()
    }
    await log.close()
    const { rows, refusals, priceMicros } = await countRows({ appId })
    // Refusals with their own row, more as that budget refills, and one row for each kind and minute.
    assert.ok(rows < 500, `${rows} rows`)
    assert.deepEqual([refusals, priceMicros], [10_000, 10_000 * 50_000])
    for (const by of ['hour', 'day'] as const) {
      const { total, rules, places } = await statsOf({ appId }, by)
      assert.deepEqual(total, { count: 10_000, price: '500.000000' })
      assert.deepEqual(rules, [{ rule: 'geo', count: 10_000, price: '500.000000' }])
      // With few places, each is counted exactly, however many refusals share a row.
      assert.deepEqual(
        places.map(({ country, count }: { country: string; count: number }) => [country, count]),
        [
          ['GB', 3_334],
          ['DE', 3_333],
          ['FR', 3_333],
        ],
      )
    }
  })

  it('of calls to two nodes add up to as many as were answered', async () => {
    const tenant = await createTenant(node, blocked)
    await refuse(tenant, 600, [node, other])
    await written(tenant, 600)
    assert.equal((await statsOf(tenant, 'hour')).total.count, 600)
  })
})

describe('the record of refusals', () => {
  it('is in nobody’s way: with its tables locked calls are answered, and all of it is written afterwards', async () => {
    const tenant = await createTenant(node, blocked)
    const open = await createTenant(node)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin; lock table refusals, refusal_counts in access exclusive mode')
    try {
      // A refusal that waited for the lock would be answered 503 for as long as it is held.
      await refuse(tenant, 200)
      for (let count = 0; count < 20; count++)
        assert.equal((await send(node, open.serverKey, { recipient: freshPhone() })).status, 200)
      const { rows } = await client.query(
        'select count(*)::integer as count from refusals where app_id = $1',
        [tenant.appId],
      )
      assert.equal(rows[0].count, 0)
    } finally {
      await client.query('commit')
      await client.end()
    }
    await written(tenant, 200)
  })

  it('is answered without what cannot be written in time, and never waits for long', async () => {
    const tenant = await createTenant(node, blocked)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    // Nobody can write, and everybody can read.
    await client.query('begin; lock table refusals in exclusive mode')
    try {
      await refuse(tenant, 1)
      const { status, body } = await node.manage('GET', `/apps/${tenant.appId}/refusals`)
      assert.equal(status, 200)
      assert.deepEqual(body.refusals, [])
    } finally {
      await client.query('commit')
      await client.end()
    }
    await written(tenant, 1)
  })

  it('waits for a database that is away, and is whole when it comes back', async () => {
    const { cable, url } = await layCable(database.url)
    const far = await startNode(url)
    try {
      const tenant = await createTenant(far)
      // An invalid recipient is refused without a query.
      const refuseText = async () => {
        const answer = await send(far, tenant.serverKey, { recipient: 'nobody' })
        assert.ok(answer.status === 422 || answer.status === 503, JSON.stringify(answer.body))
        return answer.status === 422 ? 1 : 0
      }
      let refused = 0
      for (let count = 0; count < 20; count++) refused += await refuseText()
      cable.cut()
      for (let count = 0; count < 200; count++) refused += await refuseText()
      cable.mend()
      for (let count = 0; count < 20; count++) refused += await refuseText()
      await written(tenant, refused)
      assert.equal((await statsOf(tenant, 'hour')).total.count, refused)
    } finally {
      await far.close()
      await cable.close()
    }
  })

  it('is written by a node that stops', async () => {
    const stopping = await startNode(database.url)
    const tenant = await createTenant(stopping, blocked)
    for (let count = 0; count < 30; count++)
      await send(stopping, tenant.serverKey, { recipient: freshPhone() })
    await stopping.close()
    assert.equal((await countRows(tenant)).refusals, 30)
  })

  it('counts once what is written twice, because nobody heard that it was', async () => {
    const own = await createTestDatabase()
    const alone = await startNode(own.url)
    try {
      const tenant = await createTenant(alone, blocked)
      for (let count = 0; count < 3; count++) await send(alone, tenant.serverKey, { recipient: freshPhone() })
      const rows = () => own.query<{ count: string }>('select coalesce(sum(count), 0) as count from refusals')
      await until('its rows', async () => (await rows())[0]?.count === '3')
      // The rows exist, although the node was told that they do not.
      const stored = await own.query<{ refusal_id: string; at: Date }>(
        'select refusal_id, created_at as at from refusals',
      )
      const again = stored.map(({ refusal_id: refusalId, at }) => ({
        refusalId,
        where: { country: 'GB', level: null, place: null },
        count: 2,
        priceMicros: 100_000n,
        refusal: {
          ...aRefusal,
          companyId: tenant.companyId as Refusal['companyId'],
          appId: tenant.appId as Refusal['appId'],
          maskedRecipient: 'not written',
          country: null,
          atMs: at.getTime(),
        },
      }))
      for (let count = 0; count < 3; count++) await writeRefusals(alone.app.database, again)
      assert.equal((await rows())[0]?.count, '6')
      // Summed, because an hour may end in between.
      const counts = await own.query(
        `select span, sum(count)::text as count, sum(price_micros)::text as price_micros
           from refusal_counts group by span order by span`,
      )
      assert.deepEqual(counts, [
        { span: 'day', count: '6', price_micros: '300000' },
        { span: 'hour', count: '6', price_micros: '300000' },
      ])
      assert.equal(
        (await own.query(`select 1 from refusals where masked_recipient = 'not written'`)).length,
        0,
      )
    } finally {
      await alone.close()
      await own.close()
    }
  })
})
