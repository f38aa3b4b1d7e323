/** What an operator wants to know, answered by /metrics: counted where it happens, and queues read between scrapes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readBacklog } from '../src/domain/insight/index.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

type Labels = Readonly<Record<string, string>>

/** The sum of all values with these labels; undefined if there are none. */
async function metric(node: Node, name: string, labels: Labels = {}): Promise<number | undefined> {
  const { body } = await node.call('GET', '/metrics')
  const lines = String(body)
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
  return lines.length === 0 ? undefined : lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('the metrics', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  it('count sends and approvals by channel and country, and no app or company', async () => {
    const { node } = service
    const tenant = await createTenant(node)
    const { otpId, code } = await started(node, tenant.serverKey)
    assert.equal((await verify(node, tenant.serverKey, otpId, wrongCode(code))).body.matched, false)
    assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.matched, true)
    await started(node, tenant.serverKey, freshEmail())
    const bySms = { channel: 'sms', country: 'GB' }
    assert.equal(await metric(node, 'countersign_sends_total', { kind: 'send', ...bySms }), 1)
    assert.equal(await metric(node, 'countersign_sends_total', { channel: 'email', country: 'none' }), 1)
    assert.equal(await metric(node, 'countersign_approvals_total', bySms), 1)
    assert.equal(await metric(node, 'countersign_approvals_total', { channel: 'email' }), undefined)
    assert.equal(await metric(node, 'countersign_batch_calls_sum', { batch: 'verify' }), 2)
    assert.ok(((await metric(node, 'countersign_batch_seconds_count', { batch: 'send' })) ?? 0) >= 2)
    const { body } = await node.call('GET', '/metrics')
    for (const id of [tenant.companyId, tenant.appId, otpId]) assert.ok(!String(body).includes(id))
  })

  it('know how long an account took, and what nobody knows the end of', async () => {
    const { node } = service
    const tenant = await createTenant(node)
    const account = { account: 'capture-sms', channel: 'sms', provider: 'capture' }
    const before = (await metric(node, 'countersign_delivery_accept_seconds_count', account)) ?? 0
    await started(node, tenant.serverKey)
    assert.equal(await metric(node, 'countersign_delivery_accept_seconds_count', account), before + 1)
    node.capture.answerWith(() => ({ kind: 'uncertain', error: { code: 'timeout', message: 'No answer.' } }))
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    await until('an uncertain message', () =>
      metric(node, 'countersign_deliveries_uncertain_total', { channel: 'sms' }),
    )
    node.capture.answerWith(null)
    assert.equal(await metric(node, 'countersign_delivery_accept_seconds_count', account), before + 1)
  })

  it('say how the connections of the database are used', async () => {
    const idle = await metric(service.node, 'countersign_database_connections', {
      pool: 'others',
      state: 'idle',
    })
    assert.ok(idle !== undefined && idle >= 0)
    // A loop of the node itself may be waiting for one.
    await until(
      'nobody to wait for a connection',
      async () =>
        (await metric(service.node, 'countersign_database_connections', { state: 'waiting' })) === 0,
    )
  })
})

describe('what waits', () => {
  let service: Service
  before(async () => {
    // This node has no worker, so nothing is handed over.
    service = await startService({ role: 'api' })
  })
  after(() => service.close())

  it('is counted with its age: messages, events, and apart those of paused endpoints', async () => {
    const { node, database } = service
    const { database: own, clock } = node.app
    const laterMs = () => clock.nowMs() + 120_000
    const before = await readBacklog(own, laterMs())
    assert.deepEqual([before.deliveries, before.events, before.held], [none, none, 0])
    const tenant = await createTenant(node)
    for (const url of ['https://one.example/hook', 'https://two.example/hook'])
      assert.equal((await node.manage('POST', `/apps/${tenant.appId}/webhooks`, { url })).status, 201)
    for (let sent = 0; sent < 3; sent++) await send(node, tenant.serverKey, { recipient: freshPhone() })
    await database.query(
      `insert into events (company_id, app_id, event_id, endpoint_id, type, otp_id, body)
       select $1, $2, replace(d.delivery_id, 'dlv_', 'evt_'), w.endpoint_id, 'otp.approved', d.otp_id, '{}'
         from deliveries d, webhook_endpoints w where d.company_id = $1 and w.company_id = $1`,
      [tenant.companyId, tenant.appId],
    )
    await database.query(`update webhook_endpoints set status = 'paused' where url like 'https://two%'`)
    await database.query(
      `update deliveries set held_by = 'somebody' where delivery_id = (select min(delivery_id) from deliveries)`,
    )
    await database.query('update companies set balance_micros = 0 where company_id = $1', [tenant.companyId])
    const { deliveries, events, held, lowBalances } = await readBacklog(own, laterMs())
    assert.deepEqual([deliveries.count, events.count, held], [3, 3, 3])
    assert.equal(lowBalances, before.lowBalances + 1)
    // Two minutes, allowing for a node's clock that is behind the database's.
    for (const { ageSeconds } of [deliveries, events]) assert.ok(ageSeconds > 100 && ageSeconds < 600)
  })
})

const none = { count: 0, ageSeconds: 0 }
