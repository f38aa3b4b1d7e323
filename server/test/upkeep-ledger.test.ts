/** Old ledger entries are replaced by their sum, and the ledger always adds up. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { carryForward } from '../src/domain/billing/index.ts'
import { type CompanyId, lowestId, newId } from '../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { dayMs, openTwoPools } from './upkeep-support.ts'

const { database, first, second, close } = await openTwoPools()
after(close)

describe('a ledger', () => {
  const oldMs = Date.now() - 500 * dayMs
  const bounds = () => ({
    entryId: newId('entry', oldMs + 50 * dayMs),
    before: lowestId('entry', oldMs + 50 * dayMs),
    limit: 5_000,
  })

  const company = (on: TestDatabase, old: number, recent: number): Promise<CompanyId> =>
    companyWith(on, [
      ...Array.from({ length: old }, (_, index) => oldMs + index),
      ...Array.from({ length: recent }, (_, index) => Date.now() - index),
    ])
  /** Its first entry is one micro-unit, the second two, and so on. */
  async function companyWith(on: TestDatabase, timesMs: readonly number[]): Promise<CompanyId> {
    const companyId = newId('company', Date.now())
    await on.query(
      `insert into companies (company_id, name, metered, balance_micros) values ($1, 'Acme', true, 0)`,
      [companyId],
    )
    await on.query(
      `insert into ledger (company_id, entry_id, kind, amount_micros, created_at)
       select $1, id, 'credit', ordinality, to_timestamp(ms::float8 / 1000)
         from unnest($2::text[], $3::bigint[]) with ordinality as row (id, ms, ordinality)`,
      [companyId, timesMs.map((timeMs) => newId('entry', timeMs)), timesMs],
    )
    await on.query(
      'update companies set balance_micros = (select sum(amount_micros) from ledger where company_id = $1) where company_id = $1',
      [companyId],
    )
    return companyId
  }
  const stateOf = async (on: TestDatabase, companyId: string) => {
    const [row] = await on.query<{ sum: string; balance: string; entries: string; carried: string }>(
      `select coalesce(sum(l.amount_micros), 0) as sum, c.balance_micros as balance, count(l.*) as entries,
              count(*) filter (where l.kind = 'carried') as carried
         from companies c left join ledger l using (company_id) where c.company_id = $1 group by c.balance_micros`,
      [companyId],
    )
    assert.ok(row)
    return {
      sum: BigInt(row.sum),
      balance: BigInt(row.balance),
      entries: Number(row.entries),
      carried: Number(row.carried),
    }
  }

  it('carried forward keeps its sum, and its recent entries', async () => {
    const companyId = await company(database, 100, 5)
    const before = await stateOf(database, companyId)
    assert.equal(await carryForward(first.of(companyId), bounds()), 100)
    const state = await stateOf(database, companyId)
    assert.deepEqual(state, { sum: before.sum, balance: before.balance, entries: 6, carried: 1 })
    assert.equal(state.sum, state.balance)
  })

  it('carried forward again and again stays one entry', async () => {
    const companyId = await company(database, 10, 2)
    for (let round = 0; round < 3; round++) {
      await carryForward(first.of(companyId), {
        ...bounds(),
        before: lowestId('entry', oldMs + (51 + round) * dayMs),
        entryId: newId('entry', oldMs + (51 + round) * dayMs),
      })
    }
    const state = await stateOf(database, companyId)
    assert.deepEqual([state.entries, state.carried], [3, 1])
    assert.equal(state.sum, state.balance)
  })

  it('carried forward in part loses its oldest entries, and their sum has the time of the last of them', async () => {
    const companyId = await company(database, 100, 0)
    assert.equal(await carryForward(first.of(companyId), { ...bounds(), limit: 40 }), 40)
    const entries = await database.query<{ kind: string; amount: number; ms: number }>(
      `select kind, amount_micros::integer as amount, (extract(epoch from created_at) * 1000)::float8 as ms
         from ledger where company_id = $1 order by entry_id`,
      [companyId],
    )
    assert.deepEqual(entries, [
      ...Array.from({ length: 60 }, (_, index) => ({
        kind: 'credit',
        amount: index + 41,
        ms: oldMs + index + 40,
      })),
      { kind: 'carried', amount: (40 * 41) / 2, ms: oldMs + 39 },
    ])
  })

  it('with one old entry or none is left as it is', async () => {
    for (const old of [0, 1]) {
      const companyId = await company(database, old, 2)
      assert.equal(await carryForward(first.of(companyId), bounds()), 0)
      assert.deepEqual((await stateOf(database, companyId)).carried, 0)
    }
  })

  it('carried forward by two nodes at once, beside credits, still adds up', async () => {
    const companyId = await company(database, 400, 3)
    const credit = () =>
      database.query(
        `with company as (update companies set balance_micros = balance_micros + 7 where company_id = $1 returning company_id)
         insert into ledger (company_id, entry_id, kind, amount_micros) select company_id, $2, 'credit', 7 from company`,
        [companyId, newId('entry', Date.now())],
      )
    const before = await stateOf(database, companyId)
    await Promise.all([
      ...Array.from({ length: 6 }, (_, index) =>
        carryForward((index % 2 ? first : second).of(companyId), { ...bounds(), limit: 150 }),
      ),
      ...Array.from({ length: 20 }, credit),
    ])
    const state = await stateOf(database, companyId)
    assert.equal(state.sum, before.sum + 140n)
    assert.equal(state.sum, state.balance)
  })

  it('is carried forward by a running node, and the API shows what was carried', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      const companyId = await company(own, 50, 2)
      const before = await stateOf(own, companyId)
      node = await startNode(own.url)
      await until('the ledger to be carried', async () => (await stateOf(own, companyId)).entries === 3)
      const state = await stateOf(own, companyId)
      assert.equal(state.sum, before.sum)
      const { body } = await node.manage('GET', `/companies/${companyId}/ledger`)
      assert.deepEqual(
        body.entries.map((entry: { kind: string }) => entry.kind),
        ['credit', 'credit', 'carried'],
      )
    } finally {
      await node?.close()
      await own.close()
    }
  })

  it('keeps every entry of the last four hundred days', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      const ageMs = (days: number) => Date.now() - days * dayMs
      const companyId = await companyWith(own, [ageMs(402), ageMs(401), ageMs(399), ageMs(398)])
      node = await startNode(own.url)
      await until('the ledger to be carried', async () => (await stateOf(own, companyId)).carried === 1)
      const { body } = await node.manage('GET', `/companies/${companyId}/ledger`)
      assert.deepEqual(
        body.entries.map(({ kind, amount }: { kind: string; amount: string }) => `${kind} ${amount}`),
        ['credit 0.000004', 'credit 0.000003', 'carried 0.000003'],
      )
    } finally {
      await node?.close()
      await own.close()
    }
  })

  it('of more entries than one round takes is carried forward whole', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      const companyId = await company(own, 11_000, 1)
      node = await startNode(own.url)
      await until('the ledger to be carried', async () => (await stateOf(own, companyId)).entries <= 5)
    } finally {
      await node?.close()
      await own.close()
    }
  })
})
