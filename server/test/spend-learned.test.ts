/** Caps that nobody set. The lowest is 2,000 text messages: 100.00. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { createApp, createTenant, freshPhone, send, started, verify } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { assertCapped, putCounter, spendOf, spendRule, startSpendService } from './spend-support.ts'

const service = await startSpendService()
const { capture, clock, nodes } = service
const [node] = nodes
after(service.close)
beforeEach(service.settleClock)

const perDay = { spend_caps: { day_by_country: { default: 'learned' } } }
const perHour = { spend_caps: { day_by_country: { default: 'off' }, hour_unverified: 'learned' } }
const dayCap = async (appId: string) => (await spendOf(node, appId)).day.countries[0].cap
const hourCap = async (appId: string) => (await spendOf(node, appId)).hour.cap
const call = (key: string) => send(node, key, { recipient: freshPhone() })

describe('a learned cap', () => {
  it('is what an app has that says nothing, and lets exactly its floor through', async () => {
    const { serverKey, appId } = await createTenant(node, { spend_caps: null })
    await putCounter(service, { app_id: appId, name: 'day:GB', spent: '99.90' })
    await putCounter(service, { app_id: appId, name: 'hour', spent: '99.85' })
    for (const _ of [1, 2]) assert.equal((await call(serverKey)).status, 200)
    assertCapped(await call(serverKey), 'day_by_country')
    const { day, hour, currency } = await spendOf(node, appId)
    assert.equal(currency, 'EUR')
    const { spent, cap, source } = day.countries[0]
    assert.deepEqual({ spent, cap, source }, { spent: '100.000000', cap: '100.000000', source: 'learned' })
    assert.deepEqual([hour.unverified, hour.cap, hour.source], ['99.950000', '100.000000', 'learned'])
    assert.deepEqual([day.since.slice(11), hour.since.slice(11)], ['00:00:00.000Z', '10:00:00.000Z'])
    assert.equal(Date.parse(hour.until) - Date.parse(hour.since), 3_600_000)
  })

  it('is ten times what this app had approved on the best of the fourteen days before, in that country', async () => {
    const { serverKey, appId, companyId } = await createTenant(node, perDay)
    const history = { app_id: appId, name: 'day:GB' }
    await putCounter(service, { ...history, spent: '120', approved: '40', daysAgo: 14 })
    await putCounter(service, { ...history, spent: '110', approved: '30', daysAgo: 1 })
    await putCounter(service, { ...history, spent: '900', approved: '500', daysAgo: 15 })
    await putCounter(service, { ...history, name: 'day:DE', approved: '800', daysAgo: 2 })
    const other = await createApp(node, companyId, perDay)
    await putCounter(service, { ...history, app_id: other.appId, spent: '900', approved: '700', daysAgo: 1 })
    assert.equal((await call(serverKey)).status, 200)
    assert.equal(await dayCap(appId), '400.000000')
  })

  it('is a larger multiple where fewer people type the code: twice what an approval has cost', async () => {
    const { serverKey, appId } = await createTenant(node, perDay)
    const history = { app_id: appId, name: 'day:GB' }
    await putCounter(service, { ...history, spent: '800', approved: '40', daysAgo: 2 })
    // What an attack spent on other days does not make approvals dearer, although the best day is one of them.
    await putCounter(service, { ...history, spent: '5000', approved: '30', daysAgo: 1 })
    await putCounter(service, { ...history, spent: '5000', approved: '50', daysAgo: 3 })
    // Nor does a day with few people, all of whom type the code.
    await putCounter(service, { ...history, spent: '20', approved: '20', daysAgo: 4 })
    assert.equal((await call(serverKey)).status, 200)
    assert.equal(await dayCap(appId), '2000.000000')
  })

  it('of an hour is ten times what was approved in the best hour of those days, and today’s hours do not count', async () => {
    const { serverKey, appId } = await createTenant(node, perHour)
    await putCounter(service, { app_id: appId, name: 'hour', spent: '102', approved: '20', daysAgo: 3 })
    await putCounter(service, { app_id: appId, name: 'hour', spent: '60', approved: '10', daysAgo: 1 })
    await putCounter(service, { app_id: appId, name: 'hour', spent: '130', approved: '30' })
    assert.equal(await hourCap(appId), '3000.000000', 'what stands in the row was learned when it was made')
    await clock.advance(3_600)
    assert.equal((await call(serverKey)).status, 200)
    assert.equal(await hourCap(appId), '200.000000')
  })

  it('is not raised by money that nobody approved', async () => {
    const { serverKey, appId } = await createTenant(node, perDay)
    await putCounter(service, { app_id: appId, name: 'day:GB', spent: '5000', daysAgo: 1 })
    assert.equal((await call(serverKey)).status, 200)
    assert.equal(await dayCap(appId), '100.000000')
  })

  it('rises as people of a new country approve, on the same day', async () => {
    const { serverKey, appId } = await createTenant(node, perDay)
    await putCounter(service, { app_id: appId, name: 'day:GB', spent: '99.95', approved: '0.9505' })
    const { otpId, code } = await started(node, serverKey)
    assertCapped(await call(serverKey), 'day_by_country')
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    assert.equal(await dayCap(appId), '100.050000')
    assert.equal((await call(serverKey)).status, 200)
    assertCapped(await call(serverKey), 'day_by_country')
  })

  it('does not hold back what only the simulator carries, and says so; one that was set does', async () => {
    const simulated = await startNode(clock.url, {
      builtIn: () => capture.providers().map((provider) => ({ ...provider, isSimulated: true })),
    })
    try {
      const { serverKey, appId } = await createTenant(simulated, perDay)
      await putCounter(service, { app_id: appId, name: 'day:GB', spent: '150' })
      const { status, body } = await send(simulated, serverKey, { recipient: freshPhone() })
      assert.equal(status, 200)
      const { outcome, why } = await spendRule(simulated, serverKey, body.otp_id)
      assert.equal(outcome, 'pass')
      assert.match(why, /^Simulated; otherwise it would be refused\. 150\.050000 of 100\.000000 for GB today/)
      await simulated.manage('PATCH', `/apps/${appId}`, { spend_caps: { day_by_country: { default: '1' } } })
      assertCapped(await send(simulated, serverKey, { recipient: freshPhone() }), 'day_by_country')
    } finally {
      await simulated.close()
    }
  })
})
