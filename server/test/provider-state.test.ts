/** The state of a provider account: known to every node, from what each of them has seen. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { closedPort } from './channels/support.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const kinds = new Map(Object.entries(providerKinds))

describe('the state of a provider account', () => {
  let database: TestDatabase
  let node: Node
  let other: Node
  let gateway: Server
  let isDead = false

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, { kinds })
    other = await startNode(database.url, { kinds, role: 'api' })
    let count = 0
    gateway = createServer((request, response) => {
      request.resume()
      if (isDead && request.method === 'POST') {
        response.statusCode = 503
        response.end()
        return
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ok: true, result: { request_id: `req-${++count}` } }))
    })
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    await node?.close()
    await other?.close()
    gateway?.close()
    await database?.close()
  })

  const telegram = (company_id: string) => ({
    company_id,
    channel: 'telegram',
    kind: 'telegram',
    settings: {
      token: 'secret-token',
      base_url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    },
  })
  const deadSmpp = (company_id: string) => ({
    company_id,
    channel: 'sms',
    kind: 'smpp',
    settings: {
      host: '127.0.0.1',
      port: closedPort,
      system_id: 'shop',
      password: 'secret12',
      source_addr: 'Shop',
    },
  })
  const stateOf = async (from: Node, companyId: string, providerId: string) => {
    const { body } = await from.manage('GET', `/providers?company_id=${companyId}`)
    return body.providers.find((entry: { provider_id: string }) => entry.provider_id === providerId).state
  }

  it('is unknown before anything was asked, up once it answers, and counts what it took', async () => {
    const tenant = await createTenant(node, { routing: { default: ['telegram'] } })
    const { body: made } = await node.manage('POST', '/providers', telegram(tenant.companyId))
    assert.equal(made.state.status, 'unknown')
    assert.deepEqual([made.state.since, made.state.last_error, made.state.sent_1h], [null, null, 0])
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    const state = await until('the other node knows', async () => {
      const seen = await stateOf(other, tenant.companyId, made.provider_id)
      // Its state and its counts are read one after the other.
      return seen.sent_1h === 2 && seen.status === 'up' ? seen : null
    })
    assert.ok(Date.parse(state.since) <= Date.now() + 1_000)
    assert.equal(state.failed_1h, 0)
    assert.ok(state.seconds_to_accept >= 0)
    assert.equal(state.seconds_to_deliver, null)

    isDead = true
    try {
      for (let count = 0; count < 3; count++) await send(node, tenant.serverKey, { recipient: freshPhone() })
      const failing = await until('it fails', async () => {
        const seen = await stateOf(other, tenant.companyId, made.provider_id)
        return seen.status === 'failing' ? seen : null
      })
      assert.equal(failing.last_error.code, 'http_503')
      assert.ok(failing.failed_1h >= 3)
    } finally {
      isDead = false
    }
    const { body: changed } = await node.manage('PATCH', `/providers/${made.provider_id}`, { priority: 3 })
    assert.equal(changed.state.status, 'unknown', 'what an earlier set-up did says nothing of this one')
    assert.ok(changed.state.sent_1h >= 2)
    await database.query(
      `update provider_minutes set since = since - interval '1 hour' where provider_id = $1`,
      [made.provider_id],
    )
    assert.equal((await stateOf(other, tenant.companyId, made.provider_id)).sent_1h, 0)
  })

  it('does not believe the last word on a connection of a node that has been silent since', async () => {
    const { companyId } = await createTenant(node)
    const { body: made } = await node.manage('POST', '/providers', telegram(companyId))
    const sayDown = (secondsAgo: number) =>
      database.query(
        `insert into provider_states (company_id, provider_id, revision, link, link_since, link_at, expires_at)
         select company_id, provider_id, revision, 'down', now(), now() - $2 * interval '1 second', now() + interval '1 day'
           from providers where provider_id = $1
         on conflict (company_id, provider_id, revision) do update set link_at = excluded.link_at`,
        [made.provider_id, secondsAgo],
      )
    await sayDown(0)
    assert.equal((await stateOf(other, companyId, made.provider_id)).status, 'failing')
    await sayDown(21)
    assert.equal((await stateOf(other, companyId, made.provider_id)).status, 'unknown')
  })

  it('says within seconds that a connection cannot be made, with the reason, and an account that rests is unknown', async () => {
    const tenant = await createTenant(node)
    const { body: made } = await node.manage('POST', '/providers', deadSmpp(tenant.companyId))
    const state = await until('it fails', async () => {
      const seen = await stateOf(other, tenant.companyId, made.provider_id)
      return seen.status === 'failing' ? seen : null
    })
    assert.equal(state.last_error.code, 'ECONNREFUSED')
    assert.ok(state.since)
    const { body } = await node.manage('PATCH', `/providers/${made.provider_id}`, { enabled: false })
    assert.equal(body.state.status, 'unknown')
  })

  it('is tried out step by step: what cannot connect says why, what can takes one message', async () => {
    const tenant = await createTenant(node)
    const { body: dead } = await node.manage('POST', '/providers', deadSmpp(tenant.companyId))
    for (const from of [node, other]) {
      const { body } = await from.manage('POST', `/providers/${dead.provider_id}/check`)
      const last = body.steps.at(-1)
      assert.deepEqual([last.name, last.ok], ['connect', false])
      assert.match(last.detail, /ECONNREFUSED/)
    }
    const { body: alive } = await node.manage('POST', '/providers', telegram(tenant.companyId))
    const path = `/providers/${alive.provider_id}/test`
    for (const from of [node, other]) {
      const { status, body } = await from.manage('POST', path, { to: '+44 7400 123456' })
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(body.steps.every(({ ok, ms }: { ok: boolean; ms: number }) => ok && ms >= 0))
      assert.equal(body.steps.at(-1).name, 'send')
      assert.match(body.message_id, /^req-/)
    }
    const refused = await node.manage('POST', path, { to: 'someone@example.com' })
    assert.deepEqual([refused.status, refused.body.error.type], [422, 'InvalidRecipientError'])
    const { body: failed } = await node.manage('POST', `/providers/${dead.provider_id}/test`, {
      to: '+447400123456',
    })
    assert.deepEqual([failed.message_id, failed.steps.at(-1).ok], [null, false])
  })

  it('twenty tests at once send ten messages, over all nodes', async () => {
    const tenant = await createTenant(node)
    const { body } = await node.manage('POST', '/providers', telegram(tenant.companyId))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? node : other).manage('POST', `/providers/${body.provider_id}/test`, {
          to: '+447400123456',
        }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    for (const { status, body: refused, headers } of answers.filter((answer) => answer.status !== 200)) {
      assert.deepEqual([status, refused.error.details.scope], [429, 'account'])
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
  })

  it('is in the metrics, by account', async () => {
    const tenant = await createTenant(node, { routing: { default: ['telegram'] } })
    const { body } = await node.manage('POST', '/providers', telegram(tenant.companyId))
    await send(node, tenant.serverKey, { recipient: freshPhone() })
    await until('it is counted', async () => {
      const { payload } = await node.app.server.inject('/metrics')
      const labels = `account="${body.provider_id}",channel="telegram",provider="telegram"`
      return payload.includes(`countersign_account_messages_total{${labels},result="sent"} 1`)
    })
  })
})
