/** An account that was switched off while messages of it were under way. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { json, startHttpPeer } from './channels/http-peer.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, status, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { linkText } from './harness/whatsapp.ts'
import { linkSettings } from './inbound-support.ts'

const numberId = '1001'
const secret = 'the secret of the app'

describe('an account that was switched off', () => {
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

  const add = async (companyId: string, base_url: string, phone_number_id = numberId): Promise<string> => {
    const settings = {
      phone_number_id,
      number: '+15550001001',
      access_token: 'token',
      app_secret: secret,
      verify_token: 'verify',
      template_name: 'otp_copy',
      base_url,
    }
    const account = { company_id: companyId, channel: 'whatsapp', kind: 'whatsapp', settings }
    const made = await node.manage('POST', '/providers', account)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.provider_id
  }
  const switchOff = async (providerId: string) => {
    const changed = await node.manage('PATCH', `/providers/${providerId}`, { enabled: false })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  }
  const callBack = async (providerId: string, value: object, signedWith = secret) => {
    const change = { value: { metadata: { phone_number_id: numberId }, ...value } }
    const body = JSON.stringify({ entry: [{ changes: [change] }] })
    const mac = createHmac('sha256', signedWith).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}` }
    return (await node.call('POST', `/hooks/${providerId}`, { body, headers })).status
  }
  /** A message that has left, and what is then said of it. */
  const sent = async (test: TestContext) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(200, { messages: [{ id: 'wamid.1' }] })
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    const providerId = await add(tenant.companyId, peer.url)
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    const look = async () => (await status(node, tenant.serverKey, body.otp_id)).body.deliveries[0]
    const delivery = await until('it to be sent', async () => {
      const seen = await look()
      return seen?.status === 'sent' && seen
    })
    const report = { id: 'wamid.1', status: 'delivered', biz_opaque_callback_data: delivery.delivery_id }
    return {
      tenant,
      providerId,
      peer,
      receipt: { statuses: [report] },
      stateNow: async () => (await look()).status,
    }
  }

  it('still takes receipts of what it has sent, signed as before', async (test) => {
    const { providerId, receipt, stateNow } = await sent(test)
    await switchOff(providerId)
    assert.equal(await callBack(providerId, receipt, 'another secret'), 401)
    assert.equal(await stateNow(), 'sent')
    assert.equal(await callBack(providerId, receipt), 200)
    assert.equal(await stateNow(), 'delivered')
  })

  it('takes them also where another account of the app is called', async (test) => {
    const { tenant, providerId, peer, receipt, stateNow } = await sent(test)
    await switchOff(providerId)
    assert.equal(await callBack(await add(tenant.companyId, peer.url, '1002'), receipt), 200)
    assert.equal(await stateNow(), 'delivered')
  })

  it('sends nothing, and takes nothing any more once it is removed', async (test) => {
    const { tenant, providerId, peer, receipt } = await sent(test)
    await switchOff(providerId)
    const refused = await send(node, tenant.serverKey, { recipient: freshPhone() })
    assert.equal(refused.body.error?.type, 'NoEnabledChannelError')
    assert.equal(peer.requests.length, 1)
    await node.manage('DELETE', `/providers/${providerId}`)
    assert.equal(await callBack(providerId, receipt), 401)
  })

  it('approves nobody: its secret may be why it was switched off', async () => {
    const tenant = await createTenant(node, linkSettings('link_inbound'))
    const providerId = await add(tenant.companyId, 'http://127.0.0.1:9')
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    const text = { body: linkText(body.action_url) }
    const message = { id: 'wamid.2', from: recipient.slice(1), type: 'text', text }
    await switchOff(providerId)
    assert.equal(await callBack(providerId, { messages: [message] }), 200)
    assert.equal((await status(node, tenant.serverKey, body.otp_id)).body.status, 'pending')
  })
})
