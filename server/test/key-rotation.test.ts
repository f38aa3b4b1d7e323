/** Master and data keys change while verifications are pending; nothing that was issued is lost. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { addDataKey } from '../src/platform/data-keys.ts'
import { encrypt } from '../src/platform/keyring.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  type Tenant,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { closeAll } from './harness/two-nodes.ts'

const oldMaster = randomBytes(32)
const newMaster = randomBytes(32)
const capture = new Capture()
let database: TestDatabase
let node: Node
let tenant: Tenant

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url, { capture, masterKeys: { secrets: [oldMaster] } })
  tenant = await createTenant(node, { max_sends: 10 })
})
after(async () => {
  await closeAll([node, database])
})

const dataKeyOf = async (otpId: string) => {
  const [row] = await database.query<{ data_key: number }>(
    'select data_key from verifications where otp_id = $1',
    [otpId],
  )
  return row?.data_key
}

/** Everything that can be pending when keys change: a code, a token to exchange, a link, an answer to replay. */
async function openThings(at: Node) {
  const pending = await started(at, tenant.serverKey)
  const proven = await started(at, tenant.serverKey)
  const { body } = await verify(at, tenant.publishableKey, proven.otpId, proven.code)
  const recipient = freshPhone()
  const idempotencyKey = `key-${recipient}`
  const sent = await send(at, tenant.serverKey, { recipient }, { 'idempotency-key': idempotencyKey })
  await message(at, recipient)
  return { pending, proven, verified: body, recipient, idempotencyKey, sent: sent.body }
}

async function assertStillGood(at: Node, things: Awaited<ReturnType<typeof openThings>>): Promise<void> {
  const { pending, proven, verified, recipient, idempotencyKey, sent } = things
  const wrong = await verify(at, tenant.serverKey, pending.otpId, wrongCode(pending.code))
  assert.equal(wrong.body.matched, false)
  await resend(at, tenant.serverKey, pending.otpId)
  assert.equal((await message(at, pending.recipient, 1)).code, pending.code)
  assert.equal((await verify(at, tenant.serverKey, pending.otpId, pending.code)).body.matched, true)
  const again = await verify(at, tenant.publishableKey, proven.otpId, proven.code)
  assert.deepEqual(again.body, verified)
  const exchanged = await at.call('POST', '/api/v1/verifications/exchange', {
    key: tenant.serverKey,
    body: { verification_token: verified.verification_token },
  })
  assert.equal(exchanged.body.recipient, proven.recipient)
  const replayed = await send(at, tenant.serverKey, { recipient }, { 'idempotency-key': idempotencyKey })
  assert.deepEqual(replayed.body, sent)
  await resend(at, tenant.serverKey, sent.otp_id, 'sms')
  const fresh = await message(at, recipient, 1)
  assert.equal((await verify(at, tenant.serverKey, sent.otp_id, fresh.code)).body.matched, true)
}

test('a node with a new master key before the old opens all, and one with the new alone does afterwards', async () => {
  const own = await createTestDatabase()
  try {
    const first = await startNode(own.url, { capture, masterKeys: { secrets: [oldMaster] } })
    const mine = await createTenant(first)
    const pending = [
      await started(first, mine.serverKey),
      await started(first, mine.serverKey),
      await started(first, mine.serverKey),
    ]
    const both = await startNode(own.url, { capture, masterKeys: { secrets: [newMaster, oldMaster] } })
    for (const [index, at] of [first, both].entries()) {
      const { otpId, code } = pending[index] ?? assert.fail()
      assert.equal((await verify(at, mine.serverKey, otpId, code)).body.matched, true)
    }
    await first.close()
    await both.close()
    const alone = await startNode(own.url, { capture, masterKeys: { secrets: [newMaster] } })
    const { otpId, code } = pending[2] ?? assert.fail()
    assert.equal((await verify(alone, mine.serverKey, otpId, code)).body.matched, true)
    await alone.close()
    await assert.rejects(startNode(own.url, { masterKeys: { secrets: [oldMaster] } }), /MASTER_KEY/)
  } finally {
    await own.close()
  }
})

test('a node that was left behind with the old master key says so once, and still answers', async () => {
  const own = await createTestDatabase()
  const nodes: Node[] = []
  const start = async (...secrets: [Buffer, ...Buffer[]]) => {
    const started = await startNode(own.url, { capture, masterKeys: { secrets } })
    nodes.push(started)
    return started
  }
  try {
    const leftBehind = await start(oldMaster)
    const mine = await createTenant(leftBehind)
    await start(newMaster, oldMaster)
    await own.query('update changes set revision = revision + 1')
    const said = () =>
      leftBehind.logged.filter(({ message }) => /MASTER_KEY|reading the changes/.test(message))
    await until('it to be said', async () => said().length > 0)
    const { otpId, code } = await started(leftBehind, mine.serverKey)
    assert.equal((await verify(leftBehind, mine.serverKey, otpId, code)).body.matched, true)
    // Takes longer than a few polls, each of which would have said it again.
    await start(newMaster)
    assert.deepEqual(
      said().map(({ level, message }) => [level, message]),
      [['error', 'MASTER_KEY no longer opens the data keys']],
    )
  } finally {
    await closeAll([...nodes, own])
  }
})

test('a node with a foreign master key does not start, and changes nothing', async () => {
  const before = await database.query('select * from data_keys order by data_key')
  await assert.rejects(startNode(database.url, { masterKeys: { secrets: [randomBytes(32)] } }), /MASTER_KEY/)
  assert.deepEqual(await database.query('select * from data_keys order by data_key'), before)
})

test('with a new data key all that was issued stays good, and what is new uses it once it is active', async () => {
  const other = await startNode(database.url, { capture, masterKeys: { secrets: [oldMaster] } })
  try {
    const things = [await openThings(node), await openThings(other)]
    const formerly = await dataKeyOf(things[0]?.sent.otp_id)
    const before = await database.query('select revision from changes')
    const added = await addDataKey(node.app.database, { secrets: [oldMaster] })
    assert.notDeepEqual(await database.query('select revision from changes'), before, 'every node is told')
    const between = await openThings(other)
    assert.equal(await dataKeyOf(between.sent.otp_id), formerly, 'not used before every node can know it')
    await database.query(
      "update data_keys set active_from = now() - interval '1 second' where data_key = $1",
      [added],
    )
    await database.query('update changes set revision = revision + 1')
    for (const at of [node, other]) {
      await until('the new key to be used', async () => {
        const { otpId, code } = await started(at, tenant.serverKey)
        if ((await dataKeyOf(otpId)) !== added) return false
        assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.matched, true)
        return true
      })
    }
    await assertStillGood(node, things[1] ?? assert.fail())
    await assertStillGood(other, things[0] ?? assert.fail())
    await assertStillGood(node, between)
    await assertStillGood(other, await openThings(node))
  } finally {
    await other.close()
  }
})

test('a node that lost its connection while reading a change reads it again', async () => {
  const [{ last = 0, wrapped_by = '' } = {}] = await database.query<{ last: number; wrapped_by: string }>(
    'select max(data_key)::integer as last, max(wrapped_by) as wrapped_by from data_keys',
  )
  const added = last + 1
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table data_keys in access exclusive mode')
  await holder.query("insert into data_keys values ($1, $2, $3, now() - interval '1 second')", [
    added,
    encrypt(oldMaster, randomBytes(32), `data key ${added}`),
    wrapped_by,
  ])
  await database.query('update changes set revision = revision + 1')
  await until('the node to read, and its connection to be cut', async () => {
    const cut = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'select * from data_keys%'`,
    )
    return cut.length > 0
  })
  await holder.query('commit')
  await holder.end()
  await until(
    'the new key to be used',
    async () => (await dataKeyOf((await started(node, tenant.serverKey)).otpId)) === added,
  )
})
