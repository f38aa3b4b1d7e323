/** While a name is looked up, which may take seconds, a change with an idempotency key holds no connection. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { createTenant, type Tenant, until } from './harness/fixtures.ts'
import { type Answer, adminToken } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

describe('a change with an idempotency key whose address has to be looked up', () => {
  let service: Service
  let tenant: Tenant
  let lookUp: () => Promise<readonly { address: string; family: number }[]>
  let asked = 0
  before(async () => {
    service = await startService({
      // A worker clears away old keys, and would seem to have taken one.
      role: 'api',
      kinds: new Map(Object.entries(providerKinds)),
      door: {
        allowedRanges: ['127.0.0.0/8'],
        allowsHttp: true,
        resolve: () => {
          asked++
          return lookUp()
        },
      },
    })
  })
  after(() => service.close())
  beforeEach(async () => {
    tenant = await createTenant(service.node)
    asked = 0
  })

  const settings = { host: 'mail.example.com', port: 25, from: 'a@example.com' }
  const post = (path: string, body: object, key = 'a key'): Promise<Answer> =>
    service.node.call('POST', `/manage/v1${path}`, {
      key: adminToken,
      body,
      headers: { 'idempotency-key': key },
    })
  const calls: Readonly<Record<string, (key?: string) => Promise<Answer>>> = {
    createWebhook: (key) => post(`/apps/${tenant.appId}/webhooks`, { url: 'http://hook.example.com/' }, key),
    createProvider: (key) =>
      post('/providers', { company_id: tenant.companyId, channel: 'email', kind: 'smtp', settings }, key),
  }
  /** Of somebody who has taken a key, and has not committed. */
  const openTransactions = () =>
    service.database.query(
      `select 1 from pg_locks where relation = 'change_replays'::regclass and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())`,
    )

  for (const [name, call] of Object.entries(calls)) {
    it(`holds none: ${name}`, async () => {
      let answer = () => {}
      lookUp = () =>
        new Promise((resolve) => {
          answer = () => resolve([{ address: '127.0.0.1', family: 4 }])
        })
      const made = call()
      await until('the name is asked for', async () => asked > 0)
      const open = await openTransactions()
      answer()
      assert.equal((await made).status, 201)
      assert.deepEqual(open, [])
    })

    it(`asks for no name again in a repeat, which is answered whatever has become of it: ${name}`, async () => {
      lookUp = async () => [{ address: '127.0.0.1', family: 4 }]
      const first = await call()
      assert.equal(first.status, 201, JSON.stringify(first.body))
      lookUp = async () => [{ address: '10.0.0.1', family: 4 }]
      assert.equal((await call('another key')).status, 422)
      asked = 0
      assert.deepEqual((await call()).body, first.body)
      assert.equal(asked, 0)
    })
  }
})
