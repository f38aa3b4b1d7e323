/** A change on one node is in force on the other within a second. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, freshPhone, send, started, status, untilInForce } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { startTwoNodeService } from './harness/service.ts'

const { nodes, close } = await startTwoNodeService()
after(close)
const tenant = await createTenant(nodes[0])

const recipient = freshPhone()
const preview = (node: Node, key = tenant.serverKey) =>
  node.call('POST', '/api/v1/routing/preview', { key, body: { recipient } })

for (const kind of ['server', 'publishable'] as const) {
  test(`a revoked ${kind} key dies on every node within a second, and stays dead`, async () => {
    const { otpId } = await started(nodes[0], tenant.serverKey)
    const { body } = await nodes[0].manage('POST', `/apps/${tenant.appId}/keys`, { kind })
    const look = async (node: Node) => (await status(node, body.key, otpId)).status
    for (const node of nodes) assert.equal(await look(node), 200)
    const revoked = await nodes[0].manage('DELETE', `/keys/${body.key_id}`)
    assert.equal(revoked.status, 200)
    assert.equal(await look(nodes[0]), 401, 'the node that revoked it need not be told')
    await untilInForce('the other node to refuse it', async () => (await look(nodes[1])) === 401)
    for (let again = 0; again < 20; again++) {
      for (const node of nodes) assert.equal(await look(node), 401)
    }
    const second = await nodes[1].manage('DELETE', `/keys/${body.key_id}`)
    assert.equal(second.body.revoked_at, revoked.body.revoked_at)
  })
}

test('a change of settings is in force on the other node within a second', async () => {
  for (const node of nodes) assert.equal((await preview(node)).body.channel, 'sms')
  const change = async (settings: object) => {
    const changed = await nodes[0].manage('PATCH', `/apps/${tenant.appId}`, settings)
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  }
  await change({ routing: { default: ['telegram', 'sms'] } })
  assert.equal((await preview(nodes[0])).body.channel, 'telegram')
  await untilInForce('the new order', async () => (await preview(nodes[1])).body.channel === 'telegram')
  await change({ geo: { countries: ['GB'] } })
  const isBlocked = async () => (await send(nodes[1], tenant.serverKey, { recipient })).status === 403
  await untilInForce('the block', isBlocked)
  await change({ geo: { countries: [] }, routing: null })
  await untilInForce('the defaults', async () => (await preview(nodes[1])).body.channel === 'sms')
})

test('a new price book is in force on the other node within a second', async () => {
  const { body: book } = await nodes[0].manage('GET', '/prices')
  assert.notEqual((await preview(nodes[1])).body.price, '0.777777')
  const changed = { ...book, default: { ...book.default, sms: '0.777777' }, countries: {} }
  assert.equal((await nodes[0].manage('PUT', '/prices', changed)).status, 200)
  await untilInForce('the new price', async () => (await preview(nodes[1])).body.price === '0.777777')
})

test('a new key and a new app are known on the other node at once', async () => {
  const fresh = await createTenant(nodes[0])
  assert.equal((await preview(nodes[1], fresh.serverKey)).status, 200)
})
