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
  const report = async (providerId: string, deliveryId: string, ending: object) => {
    const value = {
      metadata: { phone_number_id: '1' },
      statuses: [{ id: 'wamid.1', biz_opaque_callback_data: deliveryId, ...ending }],
    }
    const body = JSON.stringify({ entry: [{ changes: [{ value }] }] })
    const mac = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}` }
    assert.equal((await node.call('POST', `/hooks/${providerId}`, { body, headers })).status, 200)
  }
  const failWith = (code: number, providerId: string, deliveryId: string) =>
    report(providerId, deliveryId, { status: 'failed', errors: [{ code, title: 'Not sent' }] })
  const stateOf = async ({ companyId }: Tenant, providerId: string) => {
    const { body } = await node.manage('GET', `/providers?company_id=${companyId}`)
    return body.providers.find((entry: { provider_id: string }) => entry.provider_id === providerId).state
  }
  const showing =
    (tenant: Tenant, providerId: string) =>
    (what: string, isSo: (state: Record<string, unknown>) => boolean) =>
      until(what, async () => {
        const state = await stateOf(tenant, providerId)
        return isSo(state) && state
      })
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
    const shown = showing(tenant, first.providerId)
    const state = await shown('it is known to fail', ({ status }) => status === 'failing')
    assert.equal(state.last_error.code, '131042')
  })

  it('is believed, however many messages it takes, until one of them arrives', async (test) => {
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    const { providerId } = await addAccount(test, tenant, 1)
    const shown = showing(tenant, providerId)
    await failWith(131_042, providerId, await sent(tenant))
    const { since } = await shown('it fails', ({ status }) => status === 'failing')

    const taken = await sent(tenant)
    const after = await shown('the message it took', ({ sent_1h }) => sent_1h === 2)
    assert.deepEqual([after.status, after.since], ['failing', since])
    await failWith(131_042, providerId, taken)
    const again = await shown('its second failure', ({ failed_1h }) => failed_1h === 2)
    assert.deepEqual([again.status, again.since], ['failing', since])

    await report(providerId, await sent(tenant), { status: 'delivered' })
    await shown('it is up again', ({ status }) => status === 'up')
  })

  it('is forgotten where nothing was said against the account for ten minutes', async (test) => {
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    const { providerId } = await addAccount(test, tenant, 1)
    const shown = showing(tenant, providerId)
    await failWith(131_042, providerId, await sent(tenant))
    await shown('it fails', ({ status }) => status === 'failing')
    await database.query(
      `update provider_states set error_at = error_at - interval '10 minutes' where provider_id = $1`,
      [providerId],
    )
    await sent(tenant)
    await shown('it is up again', ({ status }) => status === 'up')
  })

  it('and one that blames the message says nothing of the account', async (test) => {
    const { tenant, first, second } = await twoAccounts(test)
    await failWith(131_049, first.providerId, await sent(tenant))
    await sent(tenant)
    assert.deepEqual([first.peer.requests.length, second.peer.requests.length], [2, 0])
  })
})
