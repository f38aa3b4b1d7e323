/** WhatsApp accounts of one Meta app that share a callback address, and a message that one of them has sent. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, type TestContext } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { json, startHttpPeer } from './channels/http-peer.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, status, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { linkText } from './harness/whatsapp.ts'

const metaSecret = 'the secret of the app'

export interface Account {
  readonly companyId: string | null
  /** Meta's id of the phone number. */
  readonly numberId: string
  readonly base_url?: string
  readonly secret?: string | undefined
  readonly priority?: number
}

/** A node that runs during the tests of a suite. */
export function startCalledBack() {
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

  const addAccount = async ({
    companyId,
    numberId,
    base_url = 'http://127.0.0.1:9',
    secret = metaSecret,
    priority,
  }: Account): Promise<string> => {
    const settings = {
      phone_number_id: numberId,
      number: `+1555000${numberId}`,
      access_token: 'token',
      app_secret: secret,
      verify_token: 'verify',
      template_name: 'otp_copy',
      base_url,
    }
    const account = { company_id: companyId, channel: 'whatsapp', kind: 'whatsapp', priority, settings }
    const made = await node.manage('POST', '/providers', account)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.provider_id
  }

  /** Meta's side of an account, which accepts every message. */
  const startMeta = async (test: TestContext) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(200, { messages: [{ id: 'wamid.1' }] })
    return peer
  }

  /** Sends a message through any account of the tenant, and waits until it has left. */
  const sendOne = async ({ serverKey }: Tenant) => {
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    const look = async () => (await status(node, serverKey, body.otp_id)).body.deliveries[0]
    const deliveryId = await until('it to be sent', async () => {
      const seen = await look()
      return seen?.status === 'sent' && (seen.delivery_id as string)
    })
    return { deliveryId, stateNow: async () => (await look()).status }
  }

  return {
    node: () => node,
    database: () => database,
    addAccount,
    startMeta,
    sendOne,

    /** Meta calls an account's address with something for this number. Resolves to the status of the answer. */
    callBack: async (providerId: string, numberId: string, value: object, signedWith = metaSecret) => {
      const change = { value: { metadata: { phone_number_id: numberId }, ...value } }
      const body = JSON.stringify({ entry: [{ changes: [change] }] })
      const mac = createHmac('sha256', signedWith).update(body).digest('hex')
      const headers = { 'x-hub-signature-256': `sha256=${mac}` }
      return (await node.call('POST', `/hooks/${providerId}`, { body, headers })).status
    },

    /** Sends a message from this number, and makes the receipt that Meta would send for it. */
    sent: async (test: TestContext, numberId: string, secret?: string) => {
      const peer = await startMeta(test)
      const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
      const base_url = peer.url
      const providerId = await addAccount({ companyId: tenant.companyId, numberId, base_url, secret })
      const { deliveryId, stateNow } = await sendOne(tenant)
      const report = { id: 'wamid.1', status: 'delivered', biz_opaque_callback_data: deliveryId }
      return { tenant, providerId, peer, receipt: { statuses: [report] }, stateNow }
    },

    /** A verification in a link mode, and the person's message that approves it. */
    linked: async (serverKey: string) => {
      const recipient = freshPhone()
      const { body } = await send(node, serverKey, { recipient })
      const text = { body: linkText(body.action_url) }
      return {
        written: { messages: [{ id: 'wamid.2', from: recipient.slice(1), type: 'text', text }] },
        stateNow: async () => (await status(node, serverKey, body.otp_id)).body.status,
      }
    },
  }
}
