/** A page of verifications costs the same however many there are. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { readVerifications } from '../src/domain/insight/list-store.ts'
import { type AppId, type CompanyId, lowestId } from '../src/platform/ids.ts'
import { makeQueryable } from '../src/platform/tenant.ts'
import { createTenant } from './harness/fixtures.ts'
import { makePastDays, type Seeded, seedVerifications } from './harness/seed.ts'
import { startService } from './harness/service.ts'
import { listsOf } from './insight-verifications-support.ts'

const { database, node, close } = await startService()
after(close)
const { walk } = listsOf(node)

describe('with a hundred thousand verifications', () => {
  it('a page costs what it costs with a hundred, and a rare filter is searched for in bounded bites', async () => {
    await makePastDays(database, 30)
    const [small, large] = [await createTenant(node), await createTenant(node)]
    const now = Date.now()
    const spread = (count: number): Seeded[] =>
      Array.from({ length: count }, (_, index) => ({
        atMs: now - 10 * 86_400_000 + Math.floor((index / count) * 9 * 86_400_000),
        country: index === 3 ? 'FJ' : 'GB',
      }))
    await seedVerifications(database, small, spread(100))
    const ids = await seedVerifications(database, large, spread(100_000))
    await database.query('analyze verifications')

    const ofSmall = await explainPage(small, null)
    const ofLarge = await explainPage(large, null)
    assert.deepEqual(ofLarge.sorts, [], 'rows come in the order of the index')
    assert.ok(ofLarge.rows <= 51, `read ${ofLarge.rows} rows for a page of 50`)
    assert.ok(
      ofLarge.buffers <= 2 * ofSmall.buffers + 20,
      `${ofLarge.buffers} pages against ${ofSmall.buffers}`,
    )

    const rare = await explainPage(large, 'FJ')
    assert.ok(rare.rows <= 2 * 20_000, `looked at ${rare.rows} rows`)

    const { ids: found, pages } = await walk(large.appId, { country: 'FJ' })
    assert.deepEqual(found, [ids[3]])
    assert.equal(pages.length, 6)
    assert.deepEqual(
      pages.map((page) => page.verifications.length),
      [0, 0, 0, 0, 1, 0],
    )
    const reached = pages.slice(0, -1).map((page) => Date.parse(page.searched_to ?? ''))
    assert.deepEqual(
      reached,
      reached.toSorted((left, right) => right - left),
    )
  })

  interface PlanNode {
    readonly 'Node Type': string
    readonly 'Relation Name'?: string
    readonly 'Actual Rows': number
    readonly 'Actual Loops': number
    readonly 'Rows Removed by Filter'?: number
    readonly 'Shared Hit Blocks': number
    readonly 'Shared Read Blocks': number
    readonly Plans?: readonly PlanNode[]
  }

  /** Runs the service's own statement under `explain analyze`. */
  async function explainPage(
    { companyId, appId }: { readonly companyId: string; readonly appId: string },
    country: string | null,
  ) {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      let plan: PlanNode | undefined
      const explaining = makeQueryable(async (statement) => {
        const found = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, buffers, format json) ${statement.text}`,
          statement.values,
        )
        plan = found.rows[0]?.['QUERY PLAN'][0].Plan
        return { rows: [] } as never
      })
      await readVerifications(explaining.of(companyId as CompanyId), appId as AppId, {
        since: lowestId('verification', 0),
        before: lowestId('verification', Date.UTC(9999, 0)),
        recipientHash: null,
        status: null,
        channel: null,
        country,
        trouble: null,
        limit: 51,
        mostLookedAt: 20_000,
      })
      assert.ok(plan)
      const sorts: string[] = []
      let rows = 0
      visit(plan, (part) => {
        if (part['Relation Name']?.startsWith('verifications'))
          rows += (part['Actual Rows'] + (part['Rows Removed by Filter'] ?? 0)) * part['Actual Loops']
        if (part['Node Type'] === 'Sort' && part['Actual Rows'] > 51) sorts.push(part['Node Type'])
        if (part['Node Type'] === 'Seq Scan' && part['Actual Loops'] > 0 && part['Actual Rows'] > 0)
          sorts.push(`${part['Node Type']} on ${part['Relation Name']}`)
      })
      return { rows, sorts, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
    } finally {
      await client.end()
    }
  }

  function visit(plan: PlanNode, see: (part: PlanNode) => void): void {
    see(plan)
    for (const child of plan.Plans ?? []) visit(child, see)
  }
})
