/** Sends many failed events again with one call. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import pg from 'pg'
import { replayFailed } from '../../src/domain/webhooks/index.ts'
import type { AppId, CompanyId } from '../../src/platform/ids.ts'
import type { Tenant } from '../harness/fixtures.ts'
import { startService } from '../harness/service.ts'
import { startReceiver } from './receiver.ts'
import { insertEvents, settled, subscribe } from './support.ts'

const { database, node, close } = await startService()
const receiver = await startReceiver()
after(async () => {
  await close()
  await receiver.close()
})

type Parts = Parameters<typeof replayFailed>[0]

/** More than two statements handle. */
const many = 4_500

const replay = ({ appId }: Tenant) =>
  node.manage('POST', `/apps/${appId}/events/replay-failed`, {
    since: new Date(Date.now() - 600_000).toISOString(),
  })

/** Events that have failed before anybody could send them. */
async function givenUp(tenant: Tenant): Promise<string[]> {
  await database.query(`update webhook_endpoints set status = 'paused' where app_id = $1`, [tenant.appId])
  const ids = [...(await insertEvents(database, tenant, many)).keys()]
  await database.query(`update events set status = 'failed' where app_id = $1`, [tenant.appId])
  await database.query(`update webhook_endpoints set status = 'active' where app_id = $1`, [tenant.appId])
  return ids
}

describe('very many events that were given up', () => {
  it('go again, each once, and are counted', async () => {
    const tenant = await subscribe(node, receiver.url)
    const ids = await givenUp(tenant)
    const { status, body } = await replay(tenant)
    assert.deepEqual([status, body], [200, { replayed: many }])
    await settled(database, tenant.appId)
    assert.deepEqual(receiver.calls.map(({ id }) => id).sort(), ids.sort())
  })

  it('are sent again as far as a call gets that is cut short, and the next call goes on from there', async () => {
    const tenant = await subscribe(node, receiver.url)
    const ids = await givenUp(tenant)
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from events where app_id = $1 and event_id = $2 for update', [
      tenant.appId,
      ids.at(-1),
    ])
    assert.equal((await replay(tenant)).status, 503)
    await holder.query('commit')
    await holder.end()
    const { status, body } = await replay(tenant)
    assert.equal(status, 200)
    assert.ok(body.replayed > 0 && body.replayed <= 2_000, `${body.replayed} were left`)
    await settled(database, tenant.appId)
    assert.equal(receiver.calls.filter(({ id }) => ids.includes(id)).length, many)
  })

  it('are reached call by call, also behind more that was taken than one call can look at', async () => {
    const tenant = await subscribe(node, receiver.url)
    const app = { companyId: tenant.companyId as CompanyId, appId: tenant.appId as AppId }
    await database.query(`update webhook_endpoints set status = 'paused' where app_id = $1`, [tenant.appId])
    for (let minutes = 50; minutes > 0; minutes -= 5)
      await insertEvents(database, tenant, 10, { ageMs: minutes * 60_000 })
    await database.query(`update events set status = 'delivered' where app_id = $1`, [tenant.appId])
    const [last = ''] = (await insertEvents(database, tenant, 1)).keys()
    await database.query(`update events set status = 'failed' where event_id = $1`, [last])
    await database.query(`update webhook_endpoints set status = 'active' where app_id = $1`, [tenant.appId])
    const parts = { ...node.app, clock: { nowMs: Date.now }, nudgeEvents: () => {} } as unknown as Parts
    let since = new Date(Date.now() - 3_600_000)
    let calls = 0
    for (let replayed = 0; replayed === 0; calls++) {
      assert.ok(calls < 20, 'a call begins where the last one ended')
      let looks = 0
      const bounds = { rows: 30, ms: 1, nowMs: () => looks++ }
      replayed = await replayFailed(parts, app, { since, endpointId: null }, bounds).catch((error) => {
        assert.ok(error instanceof AppError && error.errorName === 'UnavailableError', error)
        since = new Date(String(error.details.since))
        return 0
      })
    }
    assert.ok(calls > 1)
    await settled(database, tenant.appId)
    assert.ok(receiver.calls.some(({ id }) => id === last))
  })
})
