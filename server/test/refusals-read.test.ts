/** Refusals as people read them: filters, pages, counts, and who may see them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type ListedRefusal, operations } from '@countersign/contract'
import { lowestId, newId } from '../src/platform/ids.ts'
import { createApp, createTenant, type Tenant } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const service = await startService()
const { database, node } = service
after(service.close)

const list = async (appId: string, query = '') => {
  const { body, status } = await node.manage('GET', `/apps/${appId}/refusals${query && `?${query}`}`)
  assert.equal(status, 200, JSON.stringify(body))
  return operations.listRefusals.answer.parse(body)
}
const idsOf = (refusals: readonly ListedRefusal[]) => refusals.map(({ refusal_id }) => refusal_id)

const hourMs = 3_600_000
interface Seeded {
  readonly atMs: number
  readonly rule?: string
  readonly type?: string
  readonly country?: string | null
}
/** Writes a refusal as if it had happened then. */
async function seed({ companyId, appId }: Tenant, { atMs, rule, type, country }: Seeded): Promise<string> {
  const id = newId('refusal', atMs)
  await database.query(
    `insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, country, count,
            created_at)
     values ($1, $2, $3, 'send', $4, $5, '{"because":"blocked","country":"GB"}', '+44****56', $6, 1, $7)`,
    [
      companyId,
      appId,
      id,
      type ?? 'GeoBlockedError',
      rule ?? 'geo',
      country === undefined ? 'GB' : country,
      new Date(atMs),
    ],
  )
  return id
}

describe('the list of refusals', () => {
  it('is filtered by rule, type, country and time, each alone and together', async () => {
    const tenant = await createTenant(node)
    const nowMs = Date.now()
    const kinds = [
      ['geo', 'GeoBlockedError'],
      ['limit.ip', 'RateLimitExceededError'],
      ['pumping', 'RateLimitExceededError'],
    ] as const
    const all: (Seeded & { id: string })[] = []
    for (const [index, [rule, type]] of [...kinds, ...kinds, ...kinds, ...kinds].entries()) {
      const country = [null, 'GB', 'FR', 'DE', 'GB'][index % 5] ?? null
      const wanted = { atMs: nowMs - index * 60_000, rule, type, country }
      all.push({ ...wanted, id: await seed(tenant, wanted) })
    }
    const iso = (ms: number) => new Date(ms).toISOString()
    const from = nowMs - 8 * 60_000
    const to = nowMs - 2 * 60_000
    const filters: readonly (readonly [string, (row: Seeded) => boolean])[] = [
      ['rule=geo', ({ rule }) => rule === 'geo'],
      ['type=RateLimitExceededError', ({ type }) => type === 'RateLimitExceededError'],
      ['country=GB', ({ country }) => country === 'GB'],
      [`from=${iso(from)}`, ({ atMs }) => atMs >= from],
      [`to=${iso(to)}`, ({ atMs }) => atMs < to],
    ]
    for (let chosen = 0; chosen < 2 ** filters.length; chosen++) {
      const used = filters.filter((_, index) => chosen & (1 << index))
      const expected = all.filter((row) => used.every(([, holds]) => holds(row))).map(({ id }) => id)
      const query = used.map(([text]) => text).join('&')
      assert.deepEqual(idsOf((await list(tenant.appId, query)).refusals), expected, query)
    }
  })

  it('gives each once over all its pages, newest first, whatever filter there is', async () => {
    const tenant = await createTenant(node)
    const ids: string[] = []
    for (let index = 0; index < 25; index++) {
      const rule = index % 2 ? 'geo' : 'balance'
      ids.unshift(await seed(tenant, { atMs: Date.now() - 10_000 + index, rule }))
    }
    for (const [query, expected] of [
      ['', ids],
      ['rule=geo&', ids.filter((_, index) => index % 2)],
    ] as const) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof list>> = await list(
          tenant.appId,
          `${query}limit=4${cursor && `&cursor=${cursor}`}`,
        )
        assert.ok(page.refusals.length <= 4)
        seen.push(...idsOf(page.refusals))
        cursor = page.next_cursor
      }
      if (query === '') assert.deepEqual(seen, expected)
      else assert.deepEqual(new Set(seen).size, seen.length)
      assert.equal(seen.length, query === '' ? 25 : 12)
    }
  })

  it('refuses a cursor that no page has answered, and what it does not know', async () => {
    const { appId } = await createTenant(node)
    for (const query of [
      'cursor=x',
      `cursor=${newId('verification', 0)}`,
      'country=gb',
      'reason=geo',
      'from=x',
    ])
      assert.equal((await node.manage('GET', `/apps/${appId}/refusals?${query}`)).status, 422, query)
  })

  it('is of one app, and another company’s app is not found', async () => {
    const tenant = await createTenant(node)
    const sister = await createApp(node, tenant.companyId)
    await seed(tenant, { atMs: Date.now() })
    assert.equal((await list(tenant.appId)).refusals.length, 1)
    assert.equal((await list(sister.appId)).refusals.length, 0)
    assert.equal((await node.manage('GET', `/apps/${newId('app', 0)}/refusals`)).status, 404)
  })

  it('still says why of a rule that is no more', async () => {
    const tenant = await createTenant(node)
    await seed(tenant, { atMs: Date.now(), rule: 'moon_phase' })
    const [refusal] = (await list(tenant.appId)).refusals
    assert.equal(refusal?.why, 'Refused by moon_phase.')
  })

  it('is found along an index for each filter: nothing else of the app is read', async () => {
    const tenant = await createTenant(node)
    const atMs = Date.now()
    await database.query(
      `insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, country, count,
              created_at)
       select $1, $2, left($3, 14) || lpad(n::text, 16, '0'), 'send', 'GeoBlockedError', 'geo', '{"because":"blocked","country":"GB"}', '****', 'GB', 1, now()
         from generate_series(1, 20000) n`,
      [tenant.companyId, tenant.appId, lowestId('refusal', atMs)],
    )
    await seed(tenant, { atMs: atMs - 1, rule: 'balance', type: 'InsufficientFundsError', country: 'FR' })
    await database.query('analyze refusals')
    for (const [column, value] of [
      ['rule', 'balance'],
      ['error_type', 'InsufficientFundsError'],
      ['country', 'FR'],
    ] as const) {
      // Not yesterday's partition: after midnight it has a few rows of other tests, and few rows are read without an
      // index.
      const rows = await database.query<{ 'QUERY PLAN': unknown }>(
        `explain (analyze, format json, timing off) select * from refusals
          where company_id = '${tenant.companyId}' and app_id = '${tenant.appId}' and ${column} = '${value}'
            and refusal_id >= '${lowestId('refusal', atMs - 1)}' and refusal_id < 'ref_z' order by refusal_id desc limit 20000`,
      )
      const plan = JSON.stringify(rows[0])
      const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) => Number(count))
      assert.ok(
        removed.every((count) => count === 0),
        plan,
      )
    }
  })
})

describe('the count of refusals', () => {
  it('is by hour or day and rule, newest first, and keeps within its range', async () => {
    const tenant = await createTenant(node)
    const nowMs = Date.now()
    const thisHourMs = Math.floor(nowMs / hourMs) * hourMs
    for (const [hours, rule, count, price] of [
      [0, 'geo', 5, 250_000],
      [0, 'balance', 7, 350_000],
      [3, 'geo', 11, 0],
      [400, 'geo', 13, 0],
    ] as const) {
      await database.query(
        `insert into refusal_counts (company_id, app_id, span, starts_at, rule, count, price_micros, expires_at)
         values ($1, $2, 'hour', $3, $4, $5, $6, now() + interval '1 day')`,
        [tenant.companyId, tenant.appId, new Date(thisHourMs - hours * hourMs), rule, count, price],
      )
    }
    const { body } = await node.manage('GET', `/apps/${tenant.appId}/refusals/stats?by=hour`)
    const answer = operations.getRefusalStats.answer.parse(body)
    assert.deepEqual(answer.total, { count: 23, price: '0.600000' })
    assert.deepEqual(answer.rules, [
      { rule: 'geo', count: 16, price: '0.250000' },
      { rule: 'balance', count: 7, price: '0.350000' },
    ])
    const at = (hours: number) => new Date(thisHourMs - hours * hourMs).toISOString()
    assert.deepEqual(
      answer.rows.map(({ starts_at, rule, count }) => [starts_at, rule, count]),
      [
        [at(0), 'balance', 7],
        [at(0), 'geo', 5],
        [at(3), 'geo', 11],
      ],
    )
  })

  it('is by place too: where, by which rule, when, how many and for how much', async () => {
    const tenant = await createTenant(node)
    const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs
    const range = ['AZ', 'r10k', '+99450330xxxx'] as const
    for (const [hours, rule, [country, level, place], count, price] of [
      [0, 'pumping', range, 5, 250_000],
      [3, 'pumping', range, 7, 350_000],
      [0, 'geo', ['FR', '', ''], 20, 0],
      [0, 'geo', ['*', '', ''], 100, 0],
      [0, 'recipient', ['', '', ''], 2, 0],
    ] as const) {
      await database.query(
        `insert into refusal_counts values ($1, $2, 'hour', $3, $4, $5, $6, $7, $8, $9, now() + interval '1 day')`,
        [
          tenant.companyId,
          tenant.appId,
          new Date(thisHourMs - hours * hourMs),
          rule,
          country,
          level,
          place,
          count,
          price,
        ],
      )
    }
    const { body } = await node.manage('GET', `/apps/${tenant.appId}/refusals/stats?by=hour`)
    const { total, rows, places } = operations.getRefusalStats.answer.parse(body)
    const at = (hours: number) => new Date(thisHourMs - hours * hourMs).toISOString()
    assert.equal(total.count, 134)
    // A row of several countries counts for its rule, but for no place.
    assert.deepEqual(
      rows.find(({ rule }) => rule === 'geo'),
      { starts_at: at(0), rule: 'geo', count: 120, price: '0.000000' },
    )
    assert.deepEqual(
      places.map(({ rule, country, count, price }) => [rule, country, count, price]),
      [
        ['geo', 'FR', 20, '0.000000'],
        ['pumping', 'AZ', 12, '0.600000'],
        ['recipient', null, 2, '0.000000'],
      ],
    )
    assert.deepEqual(places[1], {
      rule: 'pumping',
      country: 'AZ',
      level: 'r10k',
      place: '+99450330xxxx',
      count: 12,
      price: '0.600000',
      points: [
        { starts_at: at(3), count: 7, price: '0.350000' },
        { starts_at: at(0), count: 5, price: '0.250000' },
      ],
    })
  })

  it('is nothing for an app that is a minute old', async () => {
    const { appId } = await createTenant(node)
    const { body } = await node.manage('GET', `/apps/${appId}/refusals/stats`)
    assert.deepEqual([body.total, body.rules, body.rows], [{ count: 0, price: '0.000000' }, [], []])
  })
})
