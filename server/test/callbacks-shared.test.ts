/** Several WhatsApp numbers of one Meta app: Meta calls one address for all of them. */
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

const secret = 'the secret of the app'
const called = { numberId: '1001', number: '+15550001001' }
const other = { numberId: '1002', number: '+15550001002' }

describe('a callback for another number of the same Meta app', () => {
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

  const add = async (
    companyId: string | null,
    { numberId, number }: typeof called,
    base_url: string,
    appSecret = secret,
  ): Promise<string> => {
    const settings = {
      phone_number_id: numberId,
      number,
      access_token: 'token',
      app_secret: appSecret,
      verify_token: 'verify',
      template_name: 'otp_copy',
      base_url,
    }
    const account = { company_id: companyId, channel: 'whatsapp', kind: 'whatsapp', settings }
    const made = await node.manage('POST', '/providers', account)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.provider_id
  }

  const callBack = async (providerId: string, value: object) => {
    const change = { value: { metadata: { phone_number_id: other.numberId }, ...value } }
    const body = JSON.stringify({ entry: [{ changes: [change] }] })
    const mac = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}` }
    const answer = await node.call('POST', `/hooks/${providerId}`, { body, headers })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** A message that has left by the other number. */
  const sent = async (test: TestContext, appSecret?: string) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(200, { messages: [{ id: 'wamid.1' }] })
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    await add(tenant.companyId, other, peer.url, appSecret)
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    const look = async () => (await status(node, tenant.serverKey, body.otp_id)).body.deliveries[0]
    const delivery = await until('it to be sent', async () => {
      const seen = await look()
      return seen?.status === 'sent' && seen
    })
    const report = {
      id: 'wamid.1',
      status: 'delivered',
      biz_opaque_callback_data: delivery.delivery_id,
    }
    return { tenant, peer, stateNow: async () => (await look()).status, value: { statuses: [report] } }
  }

  it('brings the other account its receipts', async (test) => {
    const { tenant, peer, stateNow, value } = await sent(test)
    await callBack(await add(tenant.companyId, called, peer.url), value)
    assert.equal(await stateNow(), 'delivered')
  })

  it('brings the other account what people write to it', async () => {
    const tenant = await createTenant(node, linkSettings('link_inbound'))
    await add(tenant.companyId, other, 'http://127.0.0.1:9')
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    const message = {
      id: 'wamid.2',
      from: recipient.slice(1),
      type: 'text',
      text: { body: linkText(body.action_url) },
    }
    await callBack(await add(tenant.companyId, called, 'http://127.0.0.1:9'), { messages: [message] })
    assert.equal((await status(node, tenant.serverKey, body.otp_id)).body.status, 'approved')
  })

  it('says nothing to an account with another secret', async (test) => {
    const { tenant, peer, stateNow, value } = await sent(test, 'the secret of another app')
    await callBack(await add(tenant.companyId, called, peer.url), value)
    assert.equal(await stateNow(), 'sent')
  })

  it('says nothing to an account of another owner, whatever its secret', async (test) => {
    const { peer, stateNow, value } = await sent(test)
    const { companyId } = await createTenant(node)
    await callBack(await add(companyId, called, peer.url), value)
    assert.equal(await stateNow(), 'sent')
    await callBack(await add(null, called, peer.url), value)
    assert.equal(await stateNow(), 'sent')
  })
})
