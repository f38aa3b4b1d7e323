/** Counts of routes, written by several nodes at once: nothing is lost, and they fade as those in memory do. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fade, type Memories, noMemories, remember } from '../src/domain/routing/learned/memory.ts'
import { addToRoutes, replaceMemories } from '../src/domain/routing/learned/store.ts'
import { parseId } from '../src/platform/ids.ts'
import type { TestDatabase } from './harness/database.ts'
import { createTenant } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { startTwoNodeService, type TwoNodeService } from './harness/service.ts'

describe('what is counted of routes', () => {
  let service: TwoNodeService
  let database: TestDatabase
  let node: Node

  before(async () => {
    service = await startTwoNodeService()
    database = service.database
    node = service.nodes[0]
  })
  after(() => service?.close())

  async function routeOfNewApp() {
    const tenant = await createTenant(node)
    const [companyId, appId] = [parseId('company', tenant.companyId), parseId('app', tenant.appId)]
    assert.ok(companyId && appId)
    return { companyId, appId, channel: 'sms' } as const
  }

  it('two nodes that count at once lose nothing, and what they remember is as the memory says', async () => {
    const route = await routeOfNewApp()
    const rows = ['BR', 'DE', 'GB'].flatMap((country) =>
      ['first', 'second'].map((providerId) => ({ ...route, country, providerId })),
    )
    const noted = { sends: 3, delivered: 2, failed: 1, ripe: 2.5, savedMicros: 10 }
    const write = (each: Node, order: readonly (typeof rows)[number][]) =>
      addToRoutes(each.app.database, { routes: order.map((row) => ({ ...row, ...noted })), approvals: [] })
    const [one, other] = service.nodes
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? write(one, rows) : write(other, rows.toReversed()),
      ),
    )
    const sums = await database.query<{ sends: bigint; saved: bigint; ripe_25: number; ripe_1600: number }>(
      `select sends, saved_micros as saved, ripe_25, ripe_1600 from route_counts where company_id = $1`,
      [route.companyId],
    )
    assert.deepEqual(
      sums.map(({ sends, saved }) => [Number(sends), Number(saved)]),
      rows.map(() => [60, 200]),
    )
    let memories: Memories = noMemories
    for (let count = 0; count < 20; count++)
      memories = remember(fade(memories, 0), { ripe: 2.5, approved: 0 })
    const [, short, , long] = memories.spans
    for (const { ripe_25, ripe_1600 } of sums) {
      assert.ok(Math.abs(ripe_25 - short.ripe) < 0.2, `${ripe_25} beside ${short.ripe}`)
      assert.ok(Math.abs(ripe_1600 - long.ripe) < 0.2, `${ripe_1600} beside ${long.ripe}`)
    }
  })

  it('hours leave as much in the table as the memory says, and more of what is used all the time', async () => {
    const route = { ...(await routeOfNewApp()), country: null }
    const hours = 6
    for (const [providerId, ripe] of [
      ['first', 30],
      ['second', 400],
    ] as const) {
      const noted = { ...route, providerId, sends: 1, delivered: 0, failed: 0, ripe, savedMicros: 0 }
      const [before] = await addToRoutes(node.app.database, { routes: [noted], approvals: [] })
      assert.ok(before)
      await database.query(
        `update route_counts set learned_at = learned_at - make_interval(hours => $3)
          where company_id = $1 and provider_id = $2`,
        [route.companyId, providerId, hours],
      )
      const [after] = await addToRoutes(node.app.database, { routes: [{ ...noted, ripe: 1 }], approvals: [] })
      const said = remember(fade(before.memories, hours * 3_600), { ripe: 1, approved: 0 })
      for (const [index, memory] of said.spans.entries()) {
        const written = after?.memories.spans[index]?.ripe ?? 0
        assert.ok(Math.abs(written - memory.ripe) < 0.01 * memory.ripe, `${written} beside ${memory.ripe}`)
      }
    }
  })

  it('what is noted of an app that was deleted meanwhile is not written', async () => {
    const route = { ...(await routeOfNewApp()), country: null, providerId: 'first' }
    assert.equal((await node.manage('DELETE', `/apps/${route.appId}`)).status, 200)
    const noted = { ...route, sends: 1, delivered: 0, failed: 0, ripe: 1, savedMicros: 0 }
    assert.deepEqual(await addToRoutes(node.app.database, { routes: [noted], approvals: [] }), [])
  })

  it('what changed since it was looked at is not forgotten', async () => {
    const route = { ...(await routeOfNewApp()), country: null, providerId: 'first' }
    const noted = { ...route, sends: 1, delivered: 0, failed: 0, ripe: 10, savedMicros: 0 }
    const [old] = await addToRoutes(node.app.database, { routes: [noted], approvals: [] })
    const [now] = await addToRoutes(node.app.database, { routes: [noted], approvals: [] })
    assert.ok(old && now)
    const ripe = async () => {
      const [row] = await database.query<{ ripe_1600: number }>(
        'select ripe_1600 from route_counts where company_id = $1',
        [route.companyId],
      )
      return Math.round(row?.ripe_1600 ?? 0)
    }
    await replaceMemories(node.app.database, [{ ...old, memories: noMemories }])
    assert.equal(await ripe(), 20)
    await replaceMemories(node.app.database, [{ ...now, memories: { ...noMemories, fell: 4 } }])
    assert.equal(await ripe(), 0)
    const [fallen] = await addToRoutes(node.app.database, { routes: [noted], approvals: [] })
    assert.ok(
      fallen && fallen.memories.fell > 3.5 && fallen.memories.fell <= 4,
      'a fall is remembered for a while',
    )
  })
})
