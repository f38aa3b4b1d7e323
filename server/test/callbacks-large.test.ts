import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const secret = 'meta_app_secret_test'
const mebibyte = 1_048_576

describe('large callbacks', () => {
  let database: TestDatabase
  let node: Node
  let path: string

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, { kinds: new Map(Object.entries(providerKinds)) })
    const made = await node.manage('POST', '/providers', {
      channel: 'whatsapp',
      kind: 'whatsapp',
      settings: {
        phone_number_id: '1122334455667',
        number: '+15550001111',
        access_token: 'token',
        app_secret: secret,
        verify_token: 'verify',
        template_name: 'otp_copy',
        base_url: 'http://127.0.0.1:9',
      },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    path = `/hooks/${made.body.provider_id}`
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const call = async (body: string) => {
    const mac = createHmac('sha256', secret).update(body).digest('hex')
    const { status } = await node.call('POST', path, {
      body,
      headers: { 'x-hub-signature-256': `sha256=${mac}` },
    })
    return status
  }
  /** A callback with a thousand updates, as many as Meta sends at once, padded to this size. */
  const notification = (bytes: number) => {
    const statuses = Array.from({ length: 1_000 }, (_, index) => ({ id: `wamid.${index}`, status: 'sent' }))
    const value = { metadata: { phone_number_id: '1122334455667' }, statuses }
    const text = JSON.stringify({ entry: [{ changes: [{ value }] }] })
    return text + ' '.repeat(bytes - text.length)
  }
  /** Starts a call and never finishes it. */
  const begin = (bytes: number, onStatus: (status: number) => void): ClientRequest => {
    const outgoing = request(`${node.baseUrl}${path}`, { method: 'POST' }, (answer) => {
      onStatus(answer.statusCode ?? 0)
      answer.resume()
    })
    outgoing.on('error', () => {})
    outgoing.write(Buffer.alloc(bytes))
    return outgoing
  }

  it('are taken from WhatsApp as large as Meta makes them, and no larger than 4 MiB', async () => {
    assert.equal(await call(notification(3_000_000)), 200)
    assert.equal(await call(notification(4 * mebibyte)), 200)
    assert.equal(await call(notification(4 * mebibyte + 1)), 413)
  })

  it('that nobody has signed hold 32 MiB at most, and keep no small one out', async (test) => {
    const answered: number[] = []
    const begun = Array.from({ length: 9 }, () => begin(4 * mebibyte - 1, (status) => answered.push(status)))
    test.after(() => {
      for (const outgoing of begun) outgoing.destroy()
    })
    await until('one is turned away', async () => answered.length > 0)
    assert.deepEqual(answered, [503])
    assert.equal(await call(notification(60_000)), 200)
    for (const outgoing of begun) outgoing.destroy()
    await until('there is room again', async () => (await call(notification(3_000_000))) === 200)
  })

  it('without a length that they name beforehand are cut where they grow too large', async (test) => {
    const answered: number[] = []
    const outgoing = begin(4 * mebibyte + 1, (status) => answered.push(status))
    test.after(() => outgoing.destroy())
    await until('an answer', async () => answered.length > 0)
    assert.deepEqual(answered, [413])
  })
})
