/** What the guard against pumping remembers for people to see: what places owed, and what was held back. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DebtsAnswer, operations } from '@countersign/contract'
import { createTenant, freshPhone, started, until, verify } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { attack, blockNumbers, createGrownTenant } from './harness/pumping.ts'
import { type Service, startService } from './harness/service.ts'

const enforce = { pumping: { mode: 'enforce' } }
const mostPlaces = 15
/** The price of a text message in a new installation. */
const smsMicros = 50_000
const micros = (amount = '') => Math.round(Number(amount) * 1_000_000)

describe('the history of debts', () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  async function historyOf(appId: string, query = ''): Promise<DebtsAnswer> {
    const answer = await node.manage('GET', `/apps/${appId}/blocks/history${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const countRows = async (appId: string) =>
    Number(
      (
        await service.database.query<{ count: string }>(
          'select count(*) from pumping_history where app_id = $1',
          [appId],
        )
      )[0]?.count,
    )

  it('has what a closed place owed, its threshold, and each send that it held back once', async () => {
    const { serverKey, appId } = await createGrownTenant(node, service.database, enforce)
    const { stopped } = await attack(node, serverKey, blockNumbers('+99450330', 24))
    const { places, step_s } = await historyOf(appId)
    assert.equal(step_s, 900)
    assert.equal(sum(places.map(({ held }) => held)), stopped.length)
    const [block] = places
    assert.equal(block?.level, 'r10k')
    assert.equal(block?.place, '+99450330xxxx')
    assert.equal(block?.watched, 0)
    assert.equal(sum(block?.points.map(({ held }) => held) ?? []), block?.held)
    // By the price book, in whole micros.
    assert.equal(micros(block?.held_price), (block?.held ?? 0) * smsMicros)
    assert.equal(block?.watched_price, '0.000000')
    const refused = await until('all refusals to be written', async () => {
      const stats = await node.manage('GET', `/apps/${appId}/refusals/stats?by=hour`)
      const { places } = operations.getRefusalStats.answer.parse(stats.body)
      return sum(places.map(({ count }) => count)) >= stopped.length && places
    })
    assert.ok(refused.some(({ level, place }) => level === block?.level && place === block?.place))
    assert.ok(refused.every(({ rule, country }) => rule === 'pumping' && country === 'AZ'))
    assert.equal(sum(refused.map(({ count }) => count)), stopped.length)
    assert.equal(sum(refused.map(({ price }) => micros(price))), stopped.length * smsMicros)
    const worst = block?.points.find(({ held }) => held > 0)
    assert.ok(worst && worst.debt > 0 && worst.threshold > 0, JSON.stringify(block))
  })

  it('is answered of a week of it that PostgreSQL knows nothing about yet', async () => {
    const { serverKey, appId } = await createGrownTenant(node, service.database, enforce)
    await attack(node, serverKey, blockNumbers('+99450339', 24))
    const before = await countRows(appId)
    const slots = 7 * 288
    await service.database.query(
      `insert into pumping_history
       select company_id, app_id, since - slot * interval '5 minutes', place || '-' || number, level, label, debt, threshold, held,
              watched, expires_at, held_micros, watched_micros
         from (select * from pumping_history where app_id = $1 limit 1) one, generate_series(1, $2) slot, generate_series(1, 14) number`,
      [appId, slots],
    )
    assert.equal(await countRows(appId), before + slots * 14)
    const from = new Date(Date.now() - 7 * 86_400_000).toISOString()
    const { places } = await historyOf(appId, `?from=${from}`)
    assert.equal(places.length, 12, 'as many as are shown at once')
  })

  it('has what would have been held back where the guard only watches', async () => {
    const { serverKey, appId } = await createGrownTenant(node, service.database, {
      pumping: { mode: 'monitor' },
    })
    const { passed } = await attack(node, serverKey, blockNumbers('+99450331', 24))
    assert.equal(passed.length, 24)
    const { places } = await historyOf(appId)
    assert.equal(sum(places.map(({ held }) => held)), 0)
    const watched = sum(places.map((place) => place.watched))
    assert.ok(watched > 0)
    assert.equal(sum(places.map(({ watched_price }) => micros(watched_price))), watched * smsMicros)
  })

  it('has nothing of an app whose codes are used, and nothing is written for it', async () => {
    const { serverKey, appId } = await createTenant(node, enforce)
    for (let count = 0; count < 5; count++) {
      const { otpId, code } = await started(node, serverKey, freshPhone())
      assert.equal((await verify(node, serverKey, otpId, code)).status, 200)
    }
    assert.deepEqual((await historyOf(appId)).places, [])
    assert.equal(await countRows(appId), 0)
  })

  it('lets a debt grow old where nothing is sent any more', async () => {
    const { serverKey, appId } = await createGrownTenant(node, service.database, enforce)
    await attack(node, serverKey, blockNumbers('+99450332', 24))
    await service.database.query(
      `update pumping_history set since = since - interval '2 hours' where app_id = $1`,
      [appId],
    )
    const from = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const { places, step_s } = await historyOf(appId, `?from=${from}`)
    assert.equal(step_s, 300)
    const debts = places[0]?.points.map(({ debt }) => debt) ?? []
    assert.ok(debts.length >= 20, String(debts.length))
    const [first = 0, ...later] = debts.slice(-20)
    assert.ok(
      later.every((debt, index) => debt <= (later[index - 1] ?? first)),
      String(debts),
    )
    assert.ok((later.at(-1) ?? 0) > 0)
  })

  it(`is of ${mostPlaces} places at most in five minutes, however many an attack is in`, async () => {
    const { serverKey, appId, companyId } = await createGrownTenant(node, service.database, enforce)
    // For this slot and the next, so that it does not matter when one ends.
    await service.database.query(
      `insert into pumping_history
       select $1, $2, to_timestamp(floor(extract(epoch from now()) / 300) * 300 + slot * 300), 'range:' || n || '/', 'r10k', '', 1, 4, 0, 0, now() + interval '1 day'
         from generate_series(1, ${mostPlaces}) n, generate_series(0, 1) slot`,
      [companyId, appId],
    )
    const { stopped } = await attack(node, serverKey, blockNumbers('+99450333', 12))
    assert.ok(stopped.length > 0)
    assert.equal(await countRows(appId), 2 * mostPlaces)
  })

  it('is asked for within a week, forwards', async () => {
    const { appId } = await createTenant(node)
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    for (const query of [`?from=${day(1)}&to=${day(2)}`, `?from=${day(20)}`, '?from=yesterday']) {
      const answer = await node.manage('GET', `/apps/${appId}/blocks/history${query}`)
      assert.equal(answer.status, 422, query)
    }
    assert.equal((await historyOf(appId, `?from=${day(7)}`)).step_s, 3_600)
  })
})
