import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, status, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const kinds = new Map(Object.entries(providerKinds))
const canary = 'canary-credential-5d1f'

let database: TestDatabase
let node: Node
let other: Node
let gateway: Server
let gatewayUrl: string
const seen: IncomingMessage[] = []

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url, { kinds })
  other = await startNode(database.url, { kinds })
  gateway = createServer((request, response) => {
    seen.push(request)
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        ok: true,
        result: { request_id: String(seen.length), phone_number: '1', request_cost: 0 },
      }),
    )
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
})
after(async () => {
  await node?.close()
  await other?.close()
  gateway?.close()
  await database?.close()
})

const account = (extra: Record<string, unknown> = {}) => ({
  channel: 'telegram',
  kind: 'telegram',
  settings: { token: canary, base_url: gatewayUrl },
  ...extra,
})

test('credentials are written and never read back, neither by the API nor in the database', async () => {
  const made = await node.manage('POST', '/providers', account({ name: 'Gateway' }))
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.settings, { base_url: gatewayUrl })
  assert.deepEqual(made.body.credentials_set, ['token'])
  assert.match(made.body.callback_url, new RegExp(`/hooks/${made.body.provider_id}$`))
  const path = `/providers/${made.body.provider_id}`
  const answers = [await node.manage('GET', '/providers'), await node.manage('PATCH', path, { priority: 7 })]
  for (const { body } of [made, ...answers]) assert.ok(!JSON.stringify(body).includes(canary))
  const rows = await database.query<{ row: string }>('select p::text as row from providers p')
  assert.ok(
    rows.every(({ row }) => !row.includes(canary) && !row.includes(Buffer.from(canary).toString('hex'))),
  )
  assert.equal((await node.manage('DELETE', path)).status, 200)
  assert.equal((await node.manage('DELETE', path)).status, 404)
})

test('an account is in force on every node within seconds, before the built-in one, and gone as fast', async () => {
  const tenant = await createTenant(node, { routing: { default: ['telegram'] } })
  const made = await node.manage('POST', '/providers', account({ company_id: tenant.companyId }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const count = seen.length
  await until(
    'the other node to use it',
    async () => {
      await send(other, tenant.serverKey, { recipient: freshPhone() })
      return seen.length > count
    },
    10_000,
  )
  assert.equal(seen.at(-1)?.headers.authorization, `Bearer ${canary}`)
  await node.manage('DELETE', `/providers/${made.body.provider_id}`)
  const recipient = freshPhone()
  await until('the built-in one again', async () => {
    await send(other, tenant.serverKey, { recipient })
    return [...other.capture.to(recipient), ...node.capture.to(recipient)].length > 0
  })
})

test('an account of another company, or for other countries, is not used', async () => {
  const theirs = await createTenant(node)
  const { body: foreign } = await node.manage('POST', '/providers', account({ company_id: theirs.companyId }))
  const { body: french } = await node.manage('POST', '/providers', account({ countries: ['FR'] }))
  const count = seen.length
  const mine = await createTenant(node, { routing: { default: ['telegram'] } })
  const { body } = await send(node, mine.serverKey, { recipient: freshPhone() })
  await until('it is sent', async () => {
    const answer = await status(node, mine.serverKey, body.otp_id)
    return answer.body.deliveries[0]?.status === 'sent'
  })
  assert.equal(seen.length, count)
  for (const { provider_id } of [foreign, french]) await node.manage('DELETE', `/providers/${provider_id}`)
})

test('two changes of one account at once both survive, and one that is removed does not come back', async () => {
  const { body: made } = await node.manage('POST', '/providers', account({ countries: ['FR'] }))
  const path = `/providers/${made.provider_id}`
  await Promise.all([
    node.manage('PATCH', path, { name: 'Renamed' }),
    other.manage('PATCH', path, { priority: 3 }),
  ])
  const { body } = await node.manage('GET', '/providers')
  const found = body.providers.find(
    (entry: { provider_id: string }) => entry.provider_id === made.provider_id,
  )
  assert.deepEqual([found.name, found.priority], ['Renamed', 3])
  const [removed] = await Promise.all([
    node.manage('DELETE', path),
    ...Array.from({ length: 10 }, (_, priority) => other.manage('PATCH', path, { priority })),
  ])
  assert.equal(removed.status, 200)
  assert.equal((await node.manage('PATCH', path, { priority: 1 })).status, 404)
})

test('what is wrong with an account is said with the path of the setting', async () => {
  const cases: [Record<string, unknown>, string][] = [
    [account({ settings: { base_url: gatewayUrl } }), 'settings.token'],
    [account({ settings: { token: 'x', tokn: 'x' } }), 'settings.tokn'],
    [account({ channel: 'sms' }), 'channel'],
    [account({ kind: 'pigeon' }), 'kind'],
    [account({ countries: ['ZZ'] }), 'countries.0'],
  ]
  for (const [body, path] of cases) {
    const refused = await node.manage('POST', '/providers', body)
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
    assert.ok(
      refused.body.error.details.fields.some((field: { path: string }) => field.path === path),
      JSON.stringify(refused.body.error.details),
    )
    assert.ok(!JSON.stringify(refused.body).includes(canary))
  }
  const nobody = account({ company_id: 'cmp_70000000000000000000000000' })
  assert.equal((await node.manage('POST', '/providers', nobody)).status, 404)
})

test('a company’s account may not stand at an address that is not public; the operator’s may', async () => {
  const strict = await startNode(database.url, { kinds, door: { allowedRanges: [], allowsHttp: true } })
  try {
    const { companyId } = await createTenant(strict)
    const smpp = {
      channel: 'sms',
      kind: 'smpp',
      settings: { host: '127.0.0.1', system_id: 'a', password: 'b', source_addr: 'ACME' },
    }
    const smtp = { channel: 'email', kind: 'smtp', settings: { host: 'localhost', from: 'a@example.com' } }
    for (const body of [account(), smpp, smtp]) {
      const refused = await strict.manage('POST', '/providers', { ...body, company_id: companyId })
      assert.equal(refused.status, 422, JSON.stringify(refused.body))
      assert.equal(refused.body.error.details.fields[0].path, 'settings')
    }
    const own = await strict.manage('POST', '/providers', account({ enabled: false }))
    assert.equal(own.status, 201)
    await strict.manage('DELETE', `/providers/${own.body.provider_id}`)
  } finally {
    await strict.close()
  }
})
