import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { claimCanary, listCanaries, recordCanary } from '../src/domain/verification/index.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'

let made: TestDatabase
let database: Database

before(async () => {
  made = await createTestDatabase()
  database = openDatabase(made.url, 2, () => {})
})

after(async () => {
  await database?.close()
  await made?.close()
})

const account = 'prv_canary'
const good = { isOk: true, failedStep: null, otpId: null, steps: [] }
const bad = { isOk: false, failedStep: 'receipt', otpId: null, steps: [] } as const

async function claim(): Promise<string> {
  const begunAt = await claimCanary(database, account, 0)
  assert.ok(begunAt)
  return begunAt
}

const lastFailed = async () => (await listCanaries(database)).map(({ failedStep }) => failedStep)

test('the result of a canary on a node that stood still does not replace a newer one', async () => {
  const early = await claim()
  const late = await claim()
  await recordCanary(database, account, late, good)
  await recordCanary(database, account, early, bad)
  assert.deepEqual(await lastFailed(), [null])
  await recordCanary(database, account, await claim(), bad)
  assert.deepEqual(await lastFailed(), ['receipt'])
})

test('a canary that ran while the clock was a month ahead goes on running, and says how it went', async () => {
  await recordCanary(database, account, await claim(), good)
  await made.query(
    `update canaries set next_at = next_at + interval '30 days', ended_at = ended_at + interval '30 days'`,
  )
  await recordCanary(database, account, await claim(), bad)
  assert.deepEqual(await lastFailed(), ['receipt'])
  await made.query(`update canaries set next_at = now() + interval '10 minutes'`)
  assert.equal(await claimCanary(database, account, 900), null)
})
