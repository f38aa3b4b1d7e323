/** The secret that signs an endpoint's events: shown once, chosen by the user, rotated. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createTenant, type Tenant } from '../harness/fixtures.ts'
import { startService } from '../harness/service.ts'
import { signatureOf, startReceiver } from './receiver.ts'
import { sendTest, subscribe, webhook } from './support.ts'

const { database, node, close } = await startService()
after(close)
const receiver = await startReceiver()
after(receiver.close)

const rotate = async (appId: string): Promise<string> => {
  const rotated = await node.manage('POST', `/apps/${appId}/webhook/rotate-secret`)
  assert.equal(rotated.status, 200)
  return rotated.body.signing_secret
}
const nextCall = (tenant: Tenant) => sendTest(node, receiver, tenant)

describe('the signing secret of an endpoint', () => {
  it('shows the secret once: a later PUT keeps it and answers null', async () => {
    const tenant = await subscribe(node, receiver.url)
    assert.match(tenant.secret, /^whsec_/)
    const again = await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: `${receiver.url}?v=2` })
    assert.deepEqual(again.body, {
      url: `${receiver.url}?v=2`,
      status: 'active',
      paused_at: null,
      reason: null,
      held: 0,
      signing_secret: null,
    })
    const call = await nextCall(tenant)
    assert.equal(call.path, '/hook?v=2')
    assert.equal(call.headers['x-webhook-signature'], signatureOf(call, tenant.secret))
    const { signing_secret: _, ...shown } = again.body
    assert.deepEqual(await webhook(node, tenant.appId), shown)
    const rows = await database.query<{ row: string }>('select w::text as row from webhook_endpoints w')
    for (const { row } of rows) assert.ok(!row.includes(tenant.secret.slice(6)), 'sealed where it is kept')
  })

  it('takes a secret of the customer’s own, which replaces the one there is as a rotation does', async () => {
    const tenant = await subscribe(node, receiver.url)
    const put = async (signing_secret: string) =>
      node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: receiver.url, signing_secret })
    const own = 'a-secret-of-my-own-choice'
    for (let round = 0; round < 2; round++) {
      assert.equal((await put(own)).body.signing_secret, own)
      const call = await nextCall(tenant)
      assert.equal(call.headers['x-webhook-signature'], signatureOf(call, own))
      assert.equal(call.headers['x-webhook-signature-previous'], signatureOf(call, tenant.secret))
      const raw = new Webhook(own, { format: 'raw' })
      assert.deepEqual(raw.verify(call.body, call.headers as Record<string, string>), JSON.parse(call.body))
    }
    const fresh = await createTenant(node)
    const made = await node.manage('PUT', `/apps/${fresh.appId}/webhook`, {
      url: receiver.url,
      signing_secret: own,
    })
    assert.equal(made.body.signing_secret, own)
    const first = await nextCall(fresh)
    assert.equal(first.headers['x-webhook-signature'], signatureOf(first, own))
    assert.equal(first.headers['x-webhook-signature-previous'], undefined)
    for (const wrong of ['x'.repeat(23), 'x'.repeat(129), `${'x'.repeat(24)} `, `é${'x'.repeat(24)}`, '']) {
      const refused = await put(wrong)
      assert.equal(refused.status, 422)
      assert.deepEqual(
        refused.body.error.details.fields.map(({ path }: { path: string }) => path),
        ['signing_secret'],
      )
    }
    const longest = 'y'.repeat(128)
    assert.equal((await put(longest)).body.signing_secret, longest)
  })

  it('makes one secret for PUTs that come at once', async () => {
    const tenant = await createTenant(node)
    const puts = await Promise.all(
      Array.from({ length: 10 }, () =>
        node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: receiver.url }),
      ),
    )
    const secrets = puts.map(({ body }) => body.signing_secret).filter((secret) => secret !== null)
    assert.equal(secrets.length, 1)
    const call = await nextCall(tenant)
    assert.equal(call.headers['x-webhook-signature'], signatureOf(call, secrets[0]))
  })

  it('rotates the secret: the previous one signs too for a day, and an older one no more', async () => {
    const tenant = await subscribe(node, receiver.url)
    const second = await rotate(tenant.appId)
    const call = await nextCall(tenant)
    assert.equal(call.headers['x-webhook-signature'], signatureOf(call, second))
    assert.equal(call.headers['x-webhook-signature-previous'], signatureOf(call, tenant.secret))
    assert.equal(String(call.headers['webhook-signature']).split(' ').length, 2)

    const third = await rotate(tenant.appId)
    const later = await nextCall(tenant)
    assert.equal(later.headers['x-webhook-signature'], signatureOf(later, third))
    assert.equal(later.headers['x-webhook-signature-previous'], signatureOf(later, second))
    assert.ok(!Object.values(later.headers).includes(signatureOf(later, tenant.secret)))

    const [left] = await database.query<{ hours: number }>(
      'select extract(epoch from previous_until - clock_timestamp())::float8 / 3600 as hours from webhook_endpoints where app_id = $1',
      [tenant.appId],
    )
    assert.ok(left && left.hours > 23.9 && left.hours <= 24)
    await database.query(
      'update webhook_endpoints set previous_until = clock_timestamp() where app_id = $1',
      [tenant.appId],
    )
    const last = await nextCall(tenant)
    assert.equal(last.headers['x-webhook-signature-previous'], undefined)
    assert.equal(String(last.headers['webhook-signature']).split(' ').length, 1)
  })
})
