/** Nodes whose own clock is five minutes ahead or behind: the database's clock decides everything. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, type Tenant, until } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'
import { type ShiftedNode, startShiftedNode } from './harness/shifted-node.ts'
import { closeAll } from './harness/two-nodes.ts'

const fiveMinutesMs = 300_000
const masterKey = randomBytes(32)
let database: TestDatabase
let node: Node
let tenant: Tenant
const shifted: { name: string; node: ShiftedNode }[] = []

before(async () => {
  database = await createTestDatabase()
  // Only the nodes with a wrong clock deliver.
  node = await startNode(database.url, { role: 'api', masterKeys: { secrets: [masterKey] } })
  tenant = await createTenant(node, { max_sends: 10 })
  for (const [name, shiftMs] of [
    ['ahead', fiveMinutesMs],
    ['behind', -fiveMinutesMs],
  ] as const) {
    const settings = { databaseUrl: database.url, shiftMs, masterKey: masterKey.toString('base64') }
    shifted.push({ name, node: await startShiftedNode(settings) })
  }
})
after(async () => {
  await closeAll([...shifted.map((each) => each.node), node, database])
})

async function call(at: ShiftedNode, path: string, body?: object, key = tenant.serverKey): Promise<Answer> {
  const response = await fetch(`${at.baseUrl}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function startedAt(at: ShiftedNode) {
  const recipient = freshPhone()
  const answer = await call(at, '/otp/send', { recipient }, tenant.serverKey)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const delivered = await until('the code', () =>
    shifted.flatMap((each) => each.node.captured).find((captured) => captured.recipient === recipient),
  )
  return { otpId: answer.body.otp_id as string, code: delivered.code, recipient }
}

const move = (otpId: string, column: 'expires_at' | 'resend_at', seconds: number) =>
  database.query(
    `update verifications set ${column} = clock_timestamp() + $2 * interval '1 second' where otp_id = $1`,
    [otpId, seconds],
  )

const clocks = ['ahead', 'behind']
const at = (name: string) => {
  const found = shifted.find((each) => each.name === name)
  assert.ok(found)
  return found.node
}

for (const name of clocks) {
  test(`times that a node ${name} writes are the database’s`, async () => {
    const { otpId, code } = await startedAt(at(name))
    const { body } = await call(at(name), `/otp/${otpId}`)
    const [row] = await database.query<{ now: Date }>('select clock_timestamp() as now')
    const age = (text: string) => ((row?.now.getTime() ?? 0) - Date.parse(text)) / 1000
    assert.ok(age(body.created_at) >= 0 && age(body.created_at) < 60, body.created_at)
    assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 600_000)
    const verified = await call(at(name), '/otp/verify', { otp_id: otpId, code })
    assert.ok(Math.abs(age(verified.body.verified_at)) < 60, verified.body.verified_at)
    const events = await database.query("select 1 from events where otp_id = $1 and type = 'otp.approved'", [
      otpId,
    ])
    assert.equal(events.length, 1)
  })

  test(`a provider is told the database’s time by a node ${name}`, async () => {
    const { recipient } = await startedAt(at(name))
    const told = shifted.flatMap((each) => each.node.captured).find((sent) => sent.recipient === recipient)
    const [row] = await database.query<{ now: Date }>('select clock_timestamp() as now')
    const age = ((row?.now.getTime() ?? 0) - (told?.nowMs ?? 0)) / 1000
    assert.ok(Math.abs(age) < 60, `${age} s`)
  })

  test(`an error that a node ${name} answered stands at the database’s time`, async () => {
    const { appId, serverKey } = await createTenant(node)
    assert.equal((await call(at(name), '/otp/send', { recipient: 'nobody' }, serverKey)).status, 422)
    const [error] = await until('the error', async () => {
      const found = await database.query<{ age: number; counted: number }>(
        `select extract(epoch from clock_timestamp() - e.created_at)::float as age,
                extract(epoch from clock_timestamp() - c.last_at)::float as counted
           from call_errors e join call_error_counts c using (company_id, app_id) where app_id = $1`,
        [appId],
      )
      return found.length > 0 && found
    })
    assert.ok(error && Math.abs(error.age) < 60 && Math.abs(error.counted) < 60, JSON.stringify(error))
  })

  test(`a code with four minutes left is good on a node ${name}, and one that is over is not`, async () => {
    const living = await startedAt(at(name))
    await move(living.otpId, 'expires_at', 240)
    assert.equal((await call(at(name), `/otp/${living.otpId}`)).body.status, 'pending')
    const right = await call(at(name), '/otp/verify', { otp_id: living.otpId, code: living.code })
    assert.equal(right.body.matched, true)

    const over = await startedAt(at(name))
    await move(over.otpId, 'expires_at', -1)
    assert.equal((await call(at(name), `/otp/${over.otpId}`)).body.status, 'expired')
    for (const path of ['/otp/verify', '/otp/resend']) {
      const late = await call(at(name), path, {
        otp_id: over.otpId,
        ...(path === '/otp/verify' ? { code: over.code } : {}),
      })
      assert.equal(late.status, 409)
      assert.deepEqual(late.body.error.details, { otp_status: 'expired' })
    }
  })

  test(`a cooldown is as long on a node ${name} as anywhere`, async () => {
    const { otpId } = await startedAt(at(name))
    await move(otpId, 'resend_at', 240)
    const early = await call(at(name), '/otp/resend', { otp_id: otpId })
    assert.equal(early.body.error.type, 'ResendCooldownError')
    const seconds = Number(early.headers.get('retry-after'))
    assert.ok(seconds > 180 && seconds <= 240, `${seconds} s`)
    await move(otpId, 'resend_at', -1)
    assert.equal((await call(at(name), '/otp/resend', { otp_id: otpId })).status, 200)
  })

  test(`a token lives as long on a node ${name} as anywhere`, async () => {
    const { otpId, code } = await startedAt(at(name))
    const verified = await call(at(name), '/otp/verify', { otp_id: otpId, code }, tenant.publishableKey)
    const exchange = { verification_token: verified.body.verification_token }
    await database.query(
      "update tokens set expires_at = clock_timestamp() + interval '240 seconds' where otp_id = $1",
      [otpId],
    )
    assert.equal((await call(at(name), '/verifications/exchange', exchange)).status, 200)
    await database.query(
      "update tokens set expires_at = clock_timestamp() - interval '1 second' where otp_id = $1",
      [otpId],
    )
    assert.equal((await call(at(name), '/verifications/exchange', exchange)).status, 404)
  })

  test(`a limit’s window is the same on a node ${name}`, async () => {
    const limited = await createTenant(node, { limits: { recipient: [{ max: 1, window_s: 200 }] } })
    const body = { recipient: freshPhone() }
    const [first, second] = [name, clocks.find((other) => other !== name) ?? '']
    assert.equal((await call(at(first), '/otp/send', body, limited.serverKey)).status, 200)
    const refused = await call(at(second), '/otp/send', body, limited.serverKey)
    assert.equal(refused.status, 429)
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds > 140 && seconds <= 200, `${seconds} s`)
  })
}
