/** What needs attention: reported when it is so, and not otherwise. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send, verify } from './harness/fixtures.ts'
import { writeIpSources } from './harness/ip-sources.ts'
import { startNode } from './harness/node.ts'
import { type Seeded, seedVerifications } from './harness/seed.ts'
import { startService } from './harness/service.ts'
import { attentionOf, type Item } from './insight-attention-support.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

const minuteMs = 60_000

const attention = attentionOf(node)
const said = (items: Item[]) => items.map(({ kind, severity }) => `${kind} ${severity}`)

const messages = (count: number, status: string, ageMs: number, more: Partial<Seeded> = {}): Seeded[] =>
  Array.from({ length: count }, () => ({
    atMs: Date.now() - ageMs,
    message: { status, priceMicros: 0 },
    ...more,
  }))

describe('attention', () => {
  it('is asked for nothing where all is well', async () => {
    const tenant = await createTenant(node)
    await seedVerifications(database, tenant, [
      ...messages(30, 'delivered', 10 * minuteMs),
      ...messages(5, 'failed', 10 * minuteMs),
    ])
    assert.deepEqual(await attention(tenant), [])
  })

  it('of an app that does not exist is not found', async () => {
    assert.equal((await node.manage('GET', '/apps/app_01m7etd47kydkw8sn09atxkzjm/attention')).status, 404)
  })

  it('is asked for a paused endpoint, with why, since when and how many events wait', async () => {
    const tenant = await createTenant(node)
    await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    for (let index = 0; index < 2; index++) {
      const { otp_id: otpId } = (await send(node, tenant.serverKey, { recipient: freshPhone() })).body
      await verify(node, tenant.serverKey, otpId, node.app.keyring().code(1, otpId, 1, 6))
    }
    assert.deepEqual(await attention(tenant), [])
    const at = new Date()
    await database.query(
      `update webhook_endpoints set status = 'paused', paused_at = $2, reason = 'the endpoint answered 410' where app_id = $1`,
      [tenant.appId, at],
    )
    assert.deepEqual(await attention(tenant), [
      {
        kind: 'webhook_paused',
        severity: 'critical',
        message:
          'The webhook endpoint is paused: the endpoint answered 410. 2 events are waiting for it to be enabled.',
        since: at.toISOString(),
      },
    ])
  })

  describe('a balance', () => {
    it('that is used up is critical; of a company that is not metered it does not matter', async () => {
      const tenant = await createTenant(node, {}, { balance: '0' })
      const [item] = await attention(tenant)
      assert.equal(`${item?.kind} ${item?.severity}`, 'low_balance critical')
      assert.match(item?.message ?? '', /€0\.00 is too low: one SMS message costs €0\.05/)
      assert.deepEqual(await attention(await createTenant(node, {}, { balance: '0', metered: false })), [])
    })

    it('for fewer than five messages of the first channel is a warning', async () => {
      const few = await attention(await createTenant(node, {}, { balance: '0.2' }))
      assert.deepEqual(said(few), ['low_balance warning'])
      assert.match(few[0]?.message ?? '', /€0\.20 is enough for only 4 SMS messages/)
      assert.deepEqual(await attention(await createTenant(node, {}, { balance: '0.25' })), [])
      const byEmail = await createTenant(node, { routing: { default: ['email'] } }, { balance: '0.05' })
      assert.deepEqual(await attention(byEmail), [])
    })

    it('that lasts less than a day at the pace of the last one is a warning, over all apps of the company', async () => {
      const tenant = await createTenant(node, {}, { balance: '1' })
      for (let index = 0; index < 10; index++) await send(node, tenant.serverKey, { recipient: freshPhone() })
      assert.deepEqual(await attention(tenant), [], 'spent 0.5 of 1')
      await send(node, tenant.serverKey, { recipient: freshPhone() })
      const [item] = await attention(tenant)
      assert.equal(`${item?.kind} ${item?.severity}`, 'low_balance warning')
      assert.match(item?.message ?? '', /balance is €0\.45\. €0\.55 was spent in the last day/)
    })

    it('is compared with what was gathered too', async () => {
      const tenant = await createTenant(node, {}, { balance: '5' })
      await database.query(
        `insert into figures select $1, $2, 'hour', now() - hours * interval '1 hour', 'sms', 'GB', 1, 1, 1, 0, 0, 3000000, '{}', '{}', now()
           from unnest(array[5, 10, 30]) hours`,
        [tenant.companyId, tenant.appId],
      )
      const [item] = await attention(tenant)
      assert.match(item?.message ?? '', /€6\.00 was spent in the last day/)
    })
  })

  describe('a provider', () => {
    it('of which half of the last quarter of an hour failed is critical, whatever came before', async () => {
      const tenant = await createTenant(node)
      await seedVerifications(database, tenant, [
        ...messages(100, 'delivered', 30 * minuteMs),
        ...messages(10, 'delivered', 5 * minuteMs),
        ...messages(9, 'failed', 5 * minuteMs),
      ])
      assert.deepEqual(await attention(tenant), [])
      await seedVerifications(database, tenant, messages(1, 'failed', 4 * minuteMs))
      const items = await attention(tenant)
      assert.deepEqual(said(items), ['failing_provider critical'])
      assert.equal(
        items[0]?.message,
        'The operator’s SMS account: 10 of 20 messages in the last 15 minutes failed.',
      )
      assert.ok(items[0]?.since)
    })

    it('with little to carry is judged by the hour', async () => {
      const tenant = await createTenant(node)
      await seedVerifications(database, tenant, [
        ...messages(8, 'delivered', 40 * minuteMs),
        ...messages(12, 'failed', 20 * minuteMs),
      ])
      const [item] = await attention(tenant)
      assert.match(item?.message ?? '', /12 of 20 messages in the last hour failed/)
    })

    it('with very little to carry is critical if all of it failed', async () => {
      const tenant = await createTenant(node)
      await seedVerifications(database, tenant, [
        ...messages(5, 'delivered', 40 * minuteMs),
        ...messages(7, 'failed', 10 * minuteMs),
      ])
      assert.deepEqual(await attention(tenant), [])
      await seedVerifications(database, tenant, messages(1, 'failed', 9 * minuteMs))
      const [item] = await attention(tenant)
      assert.match(item?.message ?? '', /8 of 8 messages in the last 15 minutes failed/)
      await seedVerifications(database, tenant, messages(1, 'delivered', 8 * minuteMs))
      assert.deepEqual(await attention(tenant), [])
    })

    it('is not blamed for what we ended ourselves, nor for what is an hour old', async () => {
      const tenant = await createTenant(node)
      await seedVerifications(database, tenant, [
        ...messages(30, 'failed', 10 * minuteMs, { errorCode: 'superseded' }),
        ...messages(30, 'failed', 90 * minuteMs),
        ...messages(5, 'delivered', 10 * minuteMs),
      ])
      assert.deepEqual(await attention(tenant), [])
    })

    it('that takes nothing for more than a minute is critical, with the first message alone', async () => {
      const tenant = await createTenant(node)
      await seedVerifications(database, tenant, messages(3, 'queued', 30_000))
      assert.deepEqual(await attention(tenant), [])
      await seedVerifications(database, tenant, messages(1, 'queued', 2 * minuteMs))
      const items = await attention(tenant)
      assert.deepEqual(said(items), ['failing_provider critical'])
      assert.match(items[0]?.message ?? '', /1 message has been waiting to be sent for more than a minute/)
    })
  })

  it('is asked for when nothing arrives and nobody is approved; an approval shows that it does', async () => {
    const tenant = await createTenant(node)
    await seedVerifications(database, tenant, [
      ...messages(19, 'sent', 20 * minuteMs),
      ...messages(10, 'sent', 2 * minuteMs),
    ])
    assert.deepEqual(await attention(tenant), [])
    await seedVerifications(database, tenant, messages(1, 'sent', 20 * minuteMs))
    const items = await attention(tenant)
    assert.deepEqual(said(items), ['no_messages_delivered critical'])
    assert.match(
      items[0]?.message ?? '',
      /^None of the 20 messages of the last hour were reported as delivered/,
    )
    await seedVerifications(database, tenant, messages(1, 'sent', 3 * minuteMs, { approvedAfterMs: 1_000 }))
    assert.deepEqual(await attention(tenant), [])
  })

  it('is asked for a cap that is nearly reached, and for one that is', async () => {
    const tenant = await createTenant(node, { spend_caps: { day_by_country: { countries: { GB: '0.5' } } } })
    const spend = async (messages: number) => {
      for (let index = 0; index < messages; index++)
        assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
    }
    await spend(7)
    assert.deepEqual(await attention(tenant), [])
    await spend(1)
    const [nearly] = await attention(tenant)
    assert.equal(`${nearly?.kind} ${nearly?.severity}`, 'spend_cap warning')
    assert.equal(nearly?.message, '80 % of the cap of €0.50 for today in GB has been used.')
    await spend(2)
    const [reached] = await attention(tenant)
    assert.equal(`${reached?.kind} ${reached?.severity}`, 'spend_cap critical')
    assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 429)
  })

  it('is asked for wrong codes while the alarm over them lasts', async () => {
    const tenant = await createTenant(node)
    await database.query(
      `insert into guess_counts values ($1, $2, date_bin('5 minutes', now(), 'epoch'), 400, 300, now() + interval '1 day')`,
      [tenant.companyId, tenant.appId],
    )
    assert.deepEqual(await attention(tenant), [], 'no alarm has been raised')
    await database.query(`insert into guess_alarms values ($1, $2, now(), now() + interval '5 minutes')`, [
      tenant.companyId,
      tenant.appId,
    ])
    const [item] = await attention(tenant)
    assert.equal(`${item?.kind} ${item?.severity}`, 'wrong_codes critical')
    assert.match(
      item?.message ?? '',
      /^300 of 400 codes entered in the last hour were wrong\. Somebody may be guessing the codes/,
    )
    await database.query(`update guess_alarms set expires_at = now() where app_id = $1`, [tenant.appId])
    assert.deepEqual(await attention(tenant), [])
  })

  it('is asked for a list of addresses that cannot be relied on, and the list says so itself', async () => {
    const sources = await writeIpSources([
      { class: 'tor', text: '185.220.101.1\n' },
      { class: 'vpn', text: '5.6.7.0/24\n' },
    ])
    await import('node:fs/promises').then(({ utimes }) =>
      utimes(sources.file.replace('sources.json', '0-tor.txt'), 1_000_000_000, 1_000_000_000),
    )
    const watching = await startNode(database.url, { role: 'api', ipSourcesFile: sources.file })
    try {
      const tenant = await createTenant(watching)
      const { items } = (await watching.manage('GET', `/apps/${tenant.appId}/attention`)).body
      assert.deepEqual(said(items), ['ip_source warning'])
      assert.match(items[0].message, /^The IP list 0-tor\.txt cannot be relied on \(is too old\)\.$/)
      const { sources: listed } = (await watching.manage('GET', '/ip-sources')).body
      assert.deepEqual(
        listed.map((source: Record<string, unknown>) => [source.name, source.class, source.entries]),
        [
          ['0-tor.txt', 'tor', 1],
          ['1-vpn.txt', 'vpn', 1],
        ],
      )
      assert.equal(listed[1].problem, null)
      assert.ok(Date.now() - Date.parse(listed[1].loaded_at) < 60_000)
      assert.ok(listed[0].age_s > listed[0].max_age_s)
    } finally {
      await watching.close()
      await sources.close()
    }
  })
})
