/** Receipts that say that the account itself is no good, as its answer might have. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { json, startHttpPeer } from './channels/http-peer.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, status, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const secret = 'the secret of the app'

describe('a receipt that blames the account', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, {
      kinds: new Map(Object.entries(providerKinds)),
      builtIn: () => [],
    })
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const addAccount = async (test: TestContext, { companyId }: Tenant, priority: number) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(200, { messages: [{ id: `wamid.${priority}` }] })
    const settings = {
      phone_number_id: String(priority),
      number: '+15550001001',
      access_token: 'token',
      app_secret: secret,
      verify_token: 'verify',
      template_name: 'otp_copy',
      base_url: peer.url,
    }
    const account = { company_id: companyId, channel: 'whatsapp', kind: 'whatsapp', priority, settings }
    const made = await node.manage('POST', '/providers', account)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return { peer, providerId: made.body.provider_id as string }
  }
  const sent = async ({ serverKey }: Tenant) => {
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    const look = async () => (await status(node, serverKey, body.otp_id)).body.deliveries[0]
    return until('it to be sent', async () => {
      const seen = await look()
      return seen?.status === 'sent' && (seen.delivery_id as string)
    })
  }
  const failWith = async (code: number, providerId: string, deliveryId: string) => {
    const report = { id: 'wamid.1', status: 'failed', biz_opaque_callback_data: deliveryId }
    const value = {
      metadata: { phone_number_id: '1' },
      statuses: [{ ...report, errors: [{ code, title: 'Not sent' }] }],
    }
    const body = JSON.stringify({ entry: [{ changes: [{ value }] }] })
    const mac = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}` }
    assert.equal((await node.call('POST', `/hooks/${providerId}`, { body, headers })).status, 200)
  }
  const twoAccounts = async (test: TestContext) => {
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    const first = await addAccount(test, tenant, 1)
    const second = await addAccount(test, tenant, 2)
    return { tenant, first, second }
  }

  it('has the next message carried by another, and shows what is wrong', async (test) => {
    const { tenant, first, second } = await twoAccounts(test)
    await failWith(131_042, first.providerId, await sent(tenant))
    await sent(tenant)
    assert.deepEqual([first.peer.requests.length, second.peer.requests.length], [1, 1])
    const state = await until('it is known to fail', async () => {
      const { body } = await node.manage('GET', `/providers?company_id=${tenant.companyId}`)
      const { state } = body.providers.find(
        (entry: { provider_id: string }) => entry.provider_id === first.providerId,
      )
      return state.status === 'failing' && state
    })
    assert.equal(state.last_error.code, '131042')
  })

  it('and one that blames the message says nothing of the account', async (test) => {
    const { tenant, first, second } = await twoAccounts(test)
    await failWith(131_049, first.providerId, await sent(tenant))
    await sent(tenant)
    assert.deepEqual([first.peer.requests.length, second.peer.requests.length], [2, 0])
  })
})
