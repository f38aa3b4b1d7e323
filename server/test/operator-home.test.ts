/** What operators see of all companies. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, send, started, until, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { attack, blockNumbers, createGrownTenant } from './harness/pumping.ts'

let database: TestDatabase
let node: Node

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url)
})
after(async () => {
  await node?.close()
  await database?.close()
})

async function toldOfBlocks(companyId: string): Promise<string[]> {
  const { body } = await node.manage('GET', '/installation')
  return body.attention.flatMap((item: { kind: string; company_id: string; message: string }) =>
    item.kind === 'pumping_blocks' && item.company_id === companyId ? [item.message] : [],
  )
}

describe('the home of operators', () => {
  it('has every company with its figures of the last day, and what is wrong in it', async () => {
    const tenant = await createTenant(node, {}, { name: 'Busy' })
    const idle = await createTenant(node, {}, { name: 'Idle', balance: '0' })
    for (const isApproved of [true, true, false]) {
      const { otpId, code } = await started(node, tenant.serverKey)
      if (isApproved) await verify(node, tenant.serverKey, otpId, code)
    }
    await send(node, tenant.serverKey, { recipient: 'nobody' })
    const found = await until('the refusal is counted', async () => {
      const { body } = await node.manage('GET', '/installation')
      const [busy] = body.companies.filter((each: { name: string }) => each.name === 'Busy')
      return busy.refusals === 1 && { body, busy }
    })
    assert.ok(found)
    const { name, sends, approvals, conversion, cost, apps, metered, alerts } = found.busy
    assert.deepEqual([name, apps, metered, alerts], ['Busy', 1, true, 0])
    assert.deepEqual([sends, approvals, cost], [3, 2, '0.150000'])
    assert.ok(Math.abs(conversion - 2 / 3) < 1e-9)
    const [other] = found.body.companies.filter((each: { name: string }) => each.name === 'Idle')
    assert.deepEqual([other.sends, other.conversion, other.cost], [0, null, '0.000000'])
    assert.equal(other.alerts, 1, 'its balance is used up')
    assert.ok(
      found.body.attention.some(
        ({ kind, company_id }: { kind: string; company_id: string }) =>
          kind === 'low_balance' && company_id === idle.companyId,
      ),
    )
    assert.deepEqual((await node.manage('GET', '/blocks')).body, { blocks: [] })
  })

  it('names a company whose balance does not last a day, and an app where far fewer are approved than usual', async () => {
    const tenant = await createTenant(node, { name: 'Shop' }, { name: 'Fallen', balance: '5' })
    const figures = (span: string, hours: number, approvals: number) =>
      database.query(
        `insert into figures
         select $1, $2, $3, date_trunc($3, now(), 'UTC') - $4 * interval '1 hour', 'sms', 'GB', 100, 100, 100, 0, $5, 6000000, '{}', '{}', now() + interval '1 day'`,
        [tenant.companyId, tenant.appId, span, hours, approvals],
      )
    const told = async () => {
      const { body } = await node.manage('GET', '/installation')
      return body.attention.flatMap(({ company_id, message }: { company_id: string; message: string }) =>
        company_id === tenant.companyId ? [message] : [],
      )
    }
    await figures('day', 48, 80)
    await figures('hour', 30, 80)
    assert.deepEqual(await told(), [])
    await figures('hour', 0, 20)
    const fallen = (place: string) =>
      `Fallen, Shop: 20 % of 100 verifications ${place} in the last two hours were approved; 80 % is usual.`
    assert.deepEqual(await told(), [
      'Fallen: at the rate of the last day, the balance lasts less than a day.',
      fallen('in GB'),
      fallen('by SMS'),
    ])
  })

  it('names wrong codes and a paused endpoint of an app only until it is deleted', async () => {
    const { companyId, appId } = await createTenant(node)
    const hook = { url: 'https://example.com/hook' }
    assert.equal((await node.manage('POST', `/apps/${appId}/webhooks`, hook)).status, 201)
    await database.query(
      `update webhook_endpoints set status = 'paused', paused_at = now() where app_id = $1`,
      [appId],
    )
    await database.query(`insert into guess_alarms values ($1, $2, now(), now() + interval '5 minutes')`, [
      companyId,
      appId,
    ])
    const told = async () =>
      (await node.manage('GET', '/installation')).body.attention.flatMap(
        ({ company_id, kind }: { company_id: string; kind: string }) =>
          company_id === companyId ? [kind] : [],
      )
    assert.deepEqual((await told()).toSorted(), ['webhook_paused', 'wrong_codes'])
    assert.equal((await node.manage('DELETE', `/apps/${appId}`)).status, 200)
    assert.deepEqual(await told(), [])
  })

  it('names a canary that did not come back, until nobody runs it any more', async () => {
    const told = async () => {
      const { body } = await node.manage('GET', '/installation')
      return body.attention.flatMap(({ kind, message }: { kind: string; message: string }) =>
        kind === 'canary_failed' ? [message] : [],
      )
    }
    await database.query(
      `insert into canaries (account, next_at, ended_at, failed_step, detail, failing_since, expires_at)
       values ('prv_1', clock_timestamp(), clock_timestamp(), 'receipt', 'No receipt.', clock_timestamp(), clock_timestamp() + interval '7 days')`,
    )
    assert.deepEqual(await told(), ['The canary through prv_1 failed at its step receipt. No receipt.'])
    await database.query(`update canaries set next_at = clock_timestamp() - interval '11 minutes'`)
    assert.deepEqual(await told(), [])
  })

  it('shows each block once, also of a place that the apps of a company share', async () => {
    const tenant = await createGrownTenant(node, database, { pumping: { mode: 'enforce' } })
    const other = await node.manage('POST', `/companies/${tenant.companyId}/apps`, { name: 'Other' })
    assert.equal(other.status, 201)
    await attack(node, tenant.serverKey, blockNumbers('+99450340', 12))
    const { blocks } = (await node.manage('GET', '/blocks')).body
    const own = blocks.filter(({ company_id }: { company_id: string }) => company_id === tenant.companyId)
    assert.deepEqual(
      own.map(({ place }: { place: string }) => place),
      ['+99450340xxxx'],
    )
  })

  it('shows no block of an app that is deleted or of a company that is closed', async () => {
    const grown = () => createGrownTenant(node, database, { pumping: { mode: 'enforce' } })
    const [deleted, closed] = [await grown(), await grown()]
    const shown = async () => {
      const { blocks } = (await node.manage('GET', '/blocks')).body
      const isShown = ({ companyId }: { companyId: string }) =>
        blocks.some(({ company_id }: { company_id: string }) => company_id === companyId)
      return [deleted, closed].map(isShown)
    }
    for (const { serverKey } of [deleted, closed])
      await attack(node, serverKey, blockNumbers('+99450343', 12))
    assert.deepEqual(await shown(), [true, true])
    assert.equal((await node.manage('DELETE', `/apps/${deleted.appId}`)).status, 200)
    assert.deepEqual(await shown(), [false, true])
    assert.equal((await node.manage('DELETE', `/companies/${closed.companyId}`)).status, 200)
    assert.deepEqual(await shown(), [false, false])
    for (const { companyId } of [deleted, closed]) assert.deepEqual(await toldOfBlocks(companyId), [])
  })

  it('has what stops people before what may', async () => {
    const tenant = await createGrownTenant(node, database, { pumping: { mode: 'enforce' } })
    await attack(node, tenant.serverKey, blockNumbers('+99450342', 12))
    assert.equal((await toldOfBlocks(tenant.companyId)).length, 1)
    await createTenant(node, {}, { balance: '0' })
    const { attention } = (await node.manage('GET', '/installation')).body
    const severities: string[] = attention.map(({ severity }: { severity: string }) => severity)
    const criticals = severities.filter((severity) => severity === 'critical').length
    assert.ok(criticals > 0 && criticals < severities.length)
    assert.equal(severities.indexOf('warning'), criticals, severities.join())
  })

  it('tells operators of blocks while some hold messages back, neither of watched nor of lifted ones', async () => {
    const tenant = await createGrownTenant(node, database, { pumping: { mode: 'enforce' } })
    const told = () => toldOfBlocks(tenant.companyId)
    const listed = async () => (await node.manage('GET', `/apps/${tenant.appId}/blocks`)).body.blocks
    const change = (pumping: object) => node.manage('PATCH', `/apps/${tenant.appId}`, { pumping })
    await attack(node, tenant.serverKey, blockNumbers('+99450341', 12))
    assert.match((await told()).join(), /: 1 block against pumped traffic is active\.$/)
    await change({ mode: 'monitor' })
    assert.deepEqual([await told(), (await listed()).length], [[], 1])
    await change({ mode: 'enforce' })
    assert.equal((await told()).length, 1)
    for (const { block_id } of await listed())
      await node.manage('DELETE', `/apps/${tenant.appId}/blocks/${block_id}`)
    assert.deepEqual([await told(), await listed()], [[], []])
  })

  it('does not tell operators of wide blocks that an app only watches while it learns', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'auto' } })
    await attack(node, tenant.serverKey, blockNumbers('+99440128', 36))
    const { blocks } = (await node.manage('GET', `/apps/${tenant.appId}/blocks`)).body
    assert.ok(blocks.some(({ level }: { level: string }) => level === 'country'))
    assert.deepEqual(await toldOfBlocks(tenant.companyId), [])
  })
})
