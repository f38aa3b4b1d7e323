/** A gateway that has no preset: XML both ways, receipts as a form, connected by settings alone. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it, type TestContext } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { type HttpPeer, startHttpPeer } from './channels/http-peer.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { joinCompany } from './harness/people.ts'

const secret = 'canary-of-the-gateway'

/** The settings from the page that explains it, as they are written there. */
const page = readFileSync(new URL('../../docs/gateways/by-its-documentation.md', import.meta.url), 'utf8')
const written: Record<string, unknown> = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(page)?.[1] ?? '')

const unheardOf = (peer: HttpPeer) => ({ ...written, base_url: peer.url, secret })

const answerWith = (text: string) => (response: { end: (text: string) => void }) => response.end(text)

describe('a gateway nobody knew', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    const capture = new Capture()
    node = await startNode(database.url, {
      capture,
      kinds: new Map(Object.entries(providerKinds)),
      // The gateway is the only account for text messages, because another would be tried when it refuses.
      builtIn: () => capture.providers(['email']),
    })
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  async function connect(test: TestContext) {
    const peer = await startHttpPeer(test)
    const tenant = await createTenant(node, { routing: { default: ['sms'] } })
    const made = await node.manage('POST', '/providers', {
      company_id: tenant.companyId,
      channel: 'sms',
      kind: 'http',
      settings: unheardOf(peer),
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return { peer, tenant, account: made.body }
  }

  const deliveryOf = (otpId: string, key: string, isThere: (status: string) => boolean) =>
    until('the delivery', async () => {
      const { body } = await node.call('GET', `/api/v1/otp/${otpId}`, { key })
      const [delivery] = body.deliveries
      return isThere(delivery?.status) && delivery
    })

  const report = (callbackUrl: string, fields: Record<string, string>, method = 'POST') =>
    fetch(`${node.baseUrl}${new URL(callbackUrl).pathname}`, {
      method,
      ...(method === 'POST' ? { body: new URLSearchParams(fields) } : {}),
    })

  it('carries a code and reports on it', async (test) => {
    const { peer, tenant, account } = await connect(test)
    peer.answer = answerWith('<answer><rc>0</rc><ticket>T-1001</ticket></answer>')
    const recipient = freshPhone()
    const { body: otp } = await send(node, tenant.serverKey, { recipient })
    assert.equal(otp.channel, 'sms')
    await deliveryOf(otp.otp_id, tenant.serverKey, (status) => status === 'sent')
    const [request] = peer.requests
    assert.equal(request?.url, '/gate/shop-7/out?validity=10')
    assert.equal(request?.headers['x-gate-key'], secret)
    const wire =
      /^<out ref="(dlv_\w+)" dlr="([^"]+)"><to>(\d+)<\/to><from>Shop<\/from><msg>([^<]+)<\/msg><\/out>$/
    const [, , callbackUrl = '', to, text = ''] = wire.exec(request?.body ?? '') ?? assert.fail(request?.body)
    assert.equal(`+${to}`, recipient)
    assert.equal(callbackUrl, account.callback_url)
    assert.equal((await report(callbackUrl, { ticket: 'T-1001', dlr: 'Q' })).status, 200)
    assert.equal((await report(callbackUrl, { ticket: 'T-1001', dlr: 'D' })).status, 200)
    await deliveryOf(otp.otp_id, tenant.serverKey, (status) => status === 'delivered')
    const code = /\d{6}/.exec(text)?.[0]
    const verified = await node.call('POST', '/api/v1/otp/verify', {
      key: tenant.serverKey,
      body: { otp_id: otp.otp_id, code },
    })
    assert.equal(verified.body.status, 'approved')
  })

  it('is believed when it refuses, and when it says that a person is not there', async (test) => {
    const { peer, tenant, account } = await connect(test)
    peer.answer = answerWith('<answer><rc>11</rc><text>no such subscriber +447400100001</text></answer>')
    const recipient = freshPhone()
    const { body: first } = await send(node, tenant.serverKey, { recipient })
    const unreachable = await deliveryOf(first.otp_id, tenant.serverKey, (status) => status === 'failed')
    assert.deepEqual(unreachable.error, { code: '11', message: 'no such subscriber [number]' })
    assert.equal((await send(node, tenant.serverKey, { recipient })).status, 409)
    peer.answer = answerWith('<answer><rc>0</rc><ticket>T-2</ticket></answer>')
    const { body: second } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    await deliveryOf(second.otp_id, tenant.serverKey, (status) => status === 'sent')
    await report(account.callback_url, { ticket: 'T-2', dlr: 'U', reason: '27' })
    const failed = await deliveryOf(second.otp_id, tenant.serverKey, (status) => status === 'failed')
    assert.equal(failed.error.code, '27')
  })

  it('is not taken for anybody who calls without the token, with another, or by GET', async (test) => {
    const { peer, tenant, account } = await connect(test)
    peer.answer = answerWith('<answer><rc>0</rc><ticket>T-3</ticket></answer>')
    const { body: otp } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    await deliveryOf(otp.otp_id, tenant.serverKey, (status) => status === 'sent')
    const bare = account.callback_url.slice(0, account.callback_url.lastIndexOf('/'))
    const said = { ticket: 'T-3', dlr: 'D' }
    for (const url of [bare, `${bare}/${'0'.repeat(32)}`, `${bare}/${secret}`])
      assert.equal((await report(url, said)).status, 401, url)
    assert.equal((await report(account.callback_url, said, 'GET')).status, 401)
    await deliveryOf(otp.otp_id, tenant.serverKey, (status) => status === 'sent')
  })

  it('shows in a dry run what would go out, with credentials masked, and sends nothing', async (test) => {
    const { peer, account } = await connect(test)
    const path = `/providers/${account.provider_id}/dry-run`
    const shown = await node.manage('POST', path, { to: '+447400100001', text: 'Your code is 654321 <&>' })
    assert.equal(shown.status, 200, JSON.stringify(shown.body))
    assert.equal(shown.body.method, 'POST')
    assert.equal(shown.body.url, `${peer.url}/gate/shop-7/out?validity=10`)
    assert.equal(shown.body.headers['x-gate-key'], '****')
    assert.match(shown.body.body, /<to>447400100001<\/to>.*<msg>Your code is 654321 &lt;&amp;&gt;<\/msg>/)
    assert.match(
      shown.body.body,
      new RegExp(`dlr="http://localhost/hooks/${account.provider_id}/\\*\\*\\*\\*"`),
    )
    assert.ok(!JSON.stringify(shown.body).includes(secret))
    assert.equal(peer.requests.length, 0)
    for (const body of [{ to: '+447400100001' }, { to: 'x', text: 'a' }, { to: '+447400100001', text: '' }])
      assert.equal((await node.manage('POST', path, body)).status, 422)
    const other = await node.manage('POST', '/providers', {
      channel: 'telegram',
      kind: 'telegram',
      settings: { token: 'a' },
      enabled: false,
    })
    const wrongKind = await node.manage('POST', `/providers/${other.body.provider_id}/dry-run`, {
      to: '+447400100001',
      text: 'a',
    })
    assert.equal(wrongKind.status, 422)
  })

  it('keeps its secrets: none is read back, and a callback address is the same for as long as its secret is', async (test) => {
    const { account, tenant } = await connect(test)
    assert.deepEqual(account.credentials_set, ['receipt_secret', 'secret'])
    const path = `/providers/${account.provider_id}`
    const changed = await node.manage('PATCH', path, { settings: { from: 'Other' }, enabled: false })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    assert.equal(changed.body.callback_url, account.callback_url)
    const renewed = await node.manage('PATCH', path, { settings: { receipt_secret: 'another one' } })
    assert.notEqual(renewed.body.callback_url, account.callback_url)
    const { body } = await node.manage('GET', '/providers')
    assert.ok(!JSON.stringify(body).includes(secret) && !JSON.stringify(body).includes('another one'))
    for (const [role, shown] of [
      ['developer', renewed.body.callback_url],
      ['viewer', null],
    ] as const) {
      const member = await joinCompany(node, tenant.companyId, role)
      const { providers } = (await member.call('GET', `/providers?company_id=${tenant.companyId}`)).body
      assert.equal(providers[0].callback_url, shown, role)
    }
    const without = await node.manage('PATCH', path, { settings: { receipts: 'none' } })
    assert.equal(without.body.callback_url, null)
  })
})
