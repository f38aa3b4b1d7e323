/** Backtests at the same time: they take turns, so that nobody's calls wait for many of them. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, it, type TestContext } from 'node:test'
import pg from 'pg'
import { createTenant, type Tenant, until } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'
import { joinCompany } from './harness/people.ts'
import { startService } from './harness/service.ts'
import { ruleOf } from './rules-support.ts'

const { node, database, close } = await startService()
after(close)

const period = () => {
  const nowMs = Date.now()
  return { from: new Date(nowMs - 60_000).toISOString(), to: new Date(nowMs).toISOString() }
}
const backtest = ({ appId }: Tenant, call: typeof node.manage = node.manage) =>
  call('POST', `/apps/${appId}/rules/backtest`, { rules: [ruleOf({})], ...period() })

/** How many backtests read from the table that is held; a backtest reads decisions and refusals at once. */
async function countReading(): Promise<number> {
  const [row] = await database.query<{ reading: number }>(
    `select count(*)::int as reading from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%from decisions%'`,
  )
  return row?.reading ?? 0
}

async function holdDecisions(context: TestContext): Promise<{ letGo: () => Promise<void> }> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('begin; lock table decisions in access exclusive mode')
  // Its lock ends with it.
  const letGo = () => holder.end()
  context.after(letGo)
  return { letGo }
}

/** Makes backtests, and counts those that are refused because too many wait. */
function counting() {
  const counts = { refused: 0 }
  const ask = async (...asked: Parameters<typeof backtest>) => {
    const { status } = await backtest(...asked)
    if (status === 503) counts.refused++
    return status
  }
  return { counts, ask }
}

// The service waits five seconds for a lock, also while other work slows all of this: so each test holds the table for
// few calls.

it('a company has one backtest at a time; a few wait, and more are refused', async (context) => {
  const tenant = await createTenant(node)
  const developer = await joinCompany(node, tenant.companyId, 'developer')
  const { counts, ask } = counting()
  const { letGo } = await holdDecisions(context)
  const asked = [
    ...Array.from({ length: 4 }, () => ask(tenant, developer.call)),
    ...Array.from({ length: 6 }, () => ask(tenant)),
  ]
  await until('those that cannot wait to be refused', () => counts.refused === 5)
  await until('one to run', async () => (await countReading()) === 1)
  assert.equal((await developer.call('GET', '/me')).status, 200, 'what a person reads does not wait for them')
  assert.equal(await countReading(), 1)
  await letGo()
  assert.equal((await Promise.all(asked)).filter((status) => status === 200).length, 5)
})

it('a node has two, of two companies; those of a third wait for their turn', async (context) => {
  const tenants = [await createTenant(node), await createTenant(node), await createTenant(node)] as const
  const { counts, ask } = counting()
  const { letGo } = await holdDecisions(context)
  const [first, second, third] = tenants
  const ofTwo = [ask(first), ask(second)]
  await until('both to run', async () => (await countReading()) === 2)
  const ofThird = Array.from({ length: 6 }, () => ask(third))
  await until('one that cannot wait to be refused', () => counts.refused === 1)
  assert.equal(await countReading(), 2)
  await letGo()
  assert.deepEqual(await Promise.all(ofTwo), [200, 200])
  assert.equal((await Promise.all(ofThird)).filter((status) => status === 200).length, 5)
})

it('a backtest whose caller has closed the connection reads nothing more, and the next of its company begins', async (context) => {
  const tenant = await createTenant(node)
  const path = `/apps/${tenant.appId}/rules/backtest`
  // It looks for the sends before the period, reads them, and then reads the period.
  const body = { rules: [ruleOf({ when: { sends_of_recipient: { gte: 10, window_s: 600 } } })], ...period() }
  const arrived: ServerResponse[] = []
  const onArrived = (message: unknown) => {
    const { response } = message as { response: ServerResponse }
    if (response.req.url?.endsWith(path)) arrived.push(response)
  }
  let chunks = 0
  const onStatement = (text: unknown) => {
    if (String(text).includes('(select * from decisions')) chunks++
  }
  subscribe('http.server.request.start', onArrived)
  subscribe('countersign:statement', onStatement)
  const { letGo } = await holdDecisions(context)
  const abandoned = Array.from({ length: 2 }, () => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const call = request(`${node.baseUrl}/manage/v1${path}`, { method: 'POST', headers })
    call.on('error', () => {}).end(JSON.stringify(body))
    return call
  })
  await until('both to arrive', () => arrived.length === 2)
  await until('one of them to read', async () => (await countReading()) === 1)
  for (const call of abandoned) call.destroy()
  await until('the service to see it', () => arrived.every((left) => left.destroyed && !left.writableEnded))
  const next = node.manage('POST', path, body)
  await until('the next to arrive', () => arrived.length === 3)
  await letGo()
  assert.equal((await next).status, 200)
  unsubscribe('http.server.request.start', onArrived)
  unsubscribe('countersign:statement', onStatement)
  assert.equal(chunks, 2, 'only the last one has read sends')
})

it('a backtest whose caller has only closed their own side is answered', async (context) => {
  const { appId } = await createTenant(node)
  const { letGo } = await holdDecisions(context)
  const body = JSON.stringify({ rules: [ruleOf({})], ...period() })
  const head = [
    `POST /manage/v1/apps/${appId}/rules/backtest HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${adminToken}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  const { hostname, port } = new URL(node.baseUrl)
  const socket = connect(Number(port), hostname, () => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`))
  let interim = 0
  socket.on('data', (heard) => {
    interim += String(heard).split('102 Processing').length - 1
  })
  const heard = text(socket)
  // With the second question the service would have found out that nobody is there.
  await until('the service to ask whether they are there', () => interim >= 3)
  await letGo()
  assert.match(await heard, /^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n/)
})
