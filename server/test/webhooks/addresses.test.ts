import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createTenant, type Tenant, until } from '../harness/fixtures.ts'
import { type Node, startNode } from '../harness/node.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { eventRows, insertEvents, subscribe } from './support.ts'

/** The names that the test's resolver knows. */
const names: Record<string, string[]> = {
  'public.example': ['8.8.8.8'],
  'mixed.example': ['8.8.8.8', '10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'loopback.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
}
const refusedUrls = [
  'https://127.0.0.1/',
  'https://localhost/',
  'https://0.0.0.0/',
  'https://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://100.64.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://mixed.example/',
  'https://metadata.example/',
  'https://loopback.example/',
  'https://mapped.example/',
  'http://public.example/',
  'ftp://public.example/',
  'file:///etc/passwd',
  'https://user:word@public.example/',
  'public.example',
  '',
]

describe('addresses of endpoints', () => {
  let database: TestDatabase
  let node: Node
  let tenant: Tenant
  let receiver: Receiver
  let publicAddress = '8.8.8.8'

  before(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver()
    node = await startNode(database.url, {
      door: {
        allowedRanges: [],
        allowsHttp: false,
        resolve: async (hostname) => {
          if (hostname === 'rebinding.example') return [{ address: publicAddress, family: 4 }]
          if (hostname === 'localhost') return [{ address: '127.0.0.1', family: 4 }]
          return (names[hostname] ?? []).map((address) => ({
            address,
            family: address.includes(':') ? 6 : 4,
          }))
        },
      },
    })
    tenant = await createTenant(node)
  })
  after(async () => {
    await node?.close()
    await receiver?.close()
    await database?.close()
  })

  it('are refused when they are saved, unless they are public and in https', async () => {
    for (const url of refusedUrls) {
      const put = await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url })
      assert.equal(put.status, 422, `${url}: ${JSON.stringify(put.body)}`)
    }
    assert.equal((await node.manage('GET', `/apps/${tenant.appId}/webhook`)).status, 404, 'nothing was saved')
    for (const url of ['https://unknown.example/', 'https://public.example/hook']) {
      assert.equal((await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url })).status, 200, url)
    }
  })

  it('are refused again when they are called, however they were saved', async () => {
    const port = new URL(receiver.url).port
    const urls = [
      ...refusedUrls,
      'https://unknown.example/',
      receiver.url,
      `https://127.0.0.1:${port}/`,
      `https://loopback.example:${port}/`,
    ]
    await database.query('delete from webhook_endpoints')
    const saved: { appId: string; url: string }[] = []
    for (const url of urls) {
      const own = await subscribe(node, 'https://public.example/hook')
      await database.query('update webhook_endpoints set url = $2 where app_id = $1', [own.appId, url])
      await insertEvents(database, own, 1)
      saved.push({ appId: own.appId, url })
    }
    for (const { appId, url } of saved) {
      await until(
        `the attempt to ${url} to fail`,
        async () => (await eventRows(database, appId))[0]?.is_retry,
      )
      const { body } = await node.manage('GET', `/apps/${appId}/events`)
      // On a slow machine the second attempt may have happened already.
      const statuses = body.events[0].attempts.map((attempt: { status: number | null }) => attempt.status)
      assert.deepEqual([...new Set(statuses)], [null], url)
    }
    assert.equal(receiver.calls.length, 0)
  })

  it('are refused when a name that was public turns private', async () => {
    publicAddress = '8.8.8.8'
    const own = await subscribe(node, 'https://rebinding.example/hook')
    publicAddress = '127.0.0.1'
    await insertEvents(database, own, 1)
    await until('the attempt to fail', async () => (await eventRows(database, own.appId))[0]?.is_retry)
    const { body } = await node.manage('GET', `/apps/${own.appId}/events`)
    assert.equal(body.events[0].attempts[0].error, 'the address is not a public one')
  })
})
