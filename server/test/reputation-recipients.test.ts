/** Disposable email addresses: throttled, refused or accepted, as the app's settings say. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshEmail, resend, send, type Tenant } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'
import { ageCounts } from './limits-support.ts'

let count = 0
const disposable = () => `person${++count}@mailinator.com`

describe('a disposable email address', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const limits = { recipient: [{ max: 5, window_s: 600 }] }
  const passed = async ({ serverKey }: Tenant, recipient: string) => {
    for (let sent = 0; ; sent++) {
      const answer = await send(node, serverKey, { recipient })
      if (answer.status === 200) continue
      assert.equal(answer.body.error.details.scope, 'recipient')
      return sent
    }
  }
  const invalid = (answer: Answer) => {
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'InvalidRecipientError')
    assert.match(answer.body.error.message, /disposable/)
  }

  it('is held to half of the recipient’s limit, rounded down, and never to none', async () => {
    const tenant = await createTenant(node, { limits })
    assert.equal(await passed(tenant, disposable()), 2)
    assert.equal(await passed(tenant, freshEmail()), 5)
    const single = await createTenant(node, { limits: { recipient: [{ max: 1, window_s: 600 }] } })
    const one = disposable()
    assert.equal(await passed(single, one), 1)
    await ageCounts(database, single.companyId, 600)
    const answers = [
      await send(node, single.serverKey, { recipient: one }),
      await send(node, single.serverKey, { recipient: one }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 429],
    )
  })

  it('is not held to it on resends, which their own attempts bound', async () => {
    const { serverKey } = await createTenant(node, { limits })
    const { body } = await send(node, serverKey, { recipient: disposable() })
    for (let round = 0; round < 3; round++)
      assert.equal((await resend(node, serverKey, body.otp_id)).status, 200)
  })

  it('is refused as invalid where the app refuses them, and nothing else is', async () => {
    const { serverKey } = await createTenant(node, { limits, disposable_email: 'refuse' })
    invalid(await send(node, serverKey, { recipient: disposable() }))
    invalid(await send(node, serverKey, { recipient: 'person@mail.mailinator.com' }))
    assert.equal((await send(node, serverKey, { recipient: freshEmail() })).status, 200)
    const body = { recipient: disposable() }
    const preview = await node.call('POST', '/api/v1/routing/preview', { key: serverKey, body })
    assert.equal(preview.body.error.type, 'InvalidRecipientError')
  })

  it('is taken as any other where the app allows them', async () => {
    const tenant = await createTenant(node, { limits, disposable_email: 'allow' })
    assert.equal(await passed(tenant, disposable()), 5)
  })

  it('can be resent to when the app has come to refuse them since', async () => {
    const { serverKey, appId } = await createTenant(node)
    const { body } = await send(node, serverKey, { recipient: disposable() })
    assert.equal((await node.manage('PATCH', `/apps/${appId}`, { disposable_email: 'refuse' })).status, 200)
    assert.equal((await resend(node, serverKey, body.otp_id)).status, 200)
  })

  it('is asked for by a setting with three values', async () => {
    const { appId } = await createTenant(node)
    assert.equal((await node.manage('GET', `/apps/${appId}`)).body.disposable_email, 'limit')
    assert.equal((await node.manage('PATCH', `/apps/${appId}`, { disposable_email: 'maybe' })).status, 422)
  })
})
