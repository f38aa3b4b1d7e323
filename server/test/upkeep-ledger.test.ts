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

  async function company(on: TestDatabase, old: number, recent: number): Promise<CompanyId> {
    const companyId = newId('company', Date.now())
    await on.query(
      `insert into companies (company_id, name, metered, balance_micros) values ($1, 'Acme', true, 0)`,
      [companyId],
    )
    const ids = [
      ...Array.from({ length: old }, (_, index) => newId('entry', oldMs + index)),
      ...Array.from({ length: recent }, (_, index) => newId('entry', Date.now() - index)),
    ]
    await on.query(
      `insert into ledger (company_id, entry_id, kind, amount_micros)
       select $1, id, 'credit', ordinality from unnest($2::text[]) with ordinality as row (id, ordinality)`,
      [companyId, ids],
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
