/** Retention deletes what is too old, a few days at a time, and a clock that jumps deletes nothing. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { prepareDataKeys } from '../src/platform/data-keys.ts'
import type { Database } from '../src/platform/database.ts'
import { dropAllOldPartitions, dropOldPartitions } from '../src/platform/drop-partitions.ts'
import { newId } from '../src/platform/ids.ts'
import { type MovableClock, makeMovableClock } from './harness/clock.ts'
import { createTestDatabaseWithoutPartitions, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { commandLine } from './harness/program.ts'
import { dayMs, dayName, partitionsOf, stayInOneDay } from './upkeep-support.ts'

const retentionDays = 30
const hourMs = 3_600_000
const run = promisify(execFile)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('retention', () => {
  let database: TestDatabase
  let clock: MovableClock
  /** The connection pools of two nodes. */
  let first: Database
  let second: Database

  beforeEach(async () => {
    await stayInOneDay()
    database = await createTestDatabaseWithoutPartitions()
    clock = await makeMovableClock(database)
    first = clock.open()
    second = clock.open()
  })

  afterEach(async () => {
    await Promise.all([first?.close(), second?.close()])
    await database?.close()
  })

  it('drops a day once it is over and not a day before, though two nodes drop at once', async () => {
    const { make, present } = partitionsOf(database)
    // Two that are over: a third might go today, so that it is not the bound of three that keeps the next one.
    await make(-32, -31, -30, -29, -2)
    const rounds = await Promise.all([first, second].map((pool) => dropOldPartitions(pool, retentionDays)))
    assert.deepEqual(await present(-32, -31, -30, -29, -2), [-30, -29, -2])
    assert.equal(rounds.filter((round) => round !== null).length, 1, 'one of them had the turn')
  })

  it('takes all that is in a day, and nothing beside it', async () => {
    const { make, today } = partitionsOf(database)
    await make(-60, -5)
    const start = await today()
    for (const day of [-60, -5]) {
      await database.query(
        `insert into decisions (company_id, app_id, decision_id, otp_id, kind, rules, created_at) values ('cmp_x', 'app_drop', $1, 'otp_x', 'send', '[]', now())`,
        [newId('decision', start + day * dayMs + 5)],
      )
    }
    await dropOldPartitions(first, retentionDays)
    assert.equal((await database.query(`select 1 from decisions where app_id = 'app_drop'`)).length, 1)
  })

  it('that was lowered takes effect at three days a day, oldest first, and says how many are left', async () => {
    const { make, present, parents } = partitionsOf(database)
    await make(...range(-30, -1))
    const tables = (await parents()).length
    const left: (number | undefined)[] = []
    for (let day = 0; left.at(-1) !== 0; day++) {
      await clock.moveBy(day * dayMs)
      const round = await dropOldPartitions(first, 8)
      assert.equal(await dropOldPartitions(second, 8), null, 'once a day over all nodes')
      assert.equal(round?.dropped.length, Math.min(3, 22 + day - 3 * day) * tables)
      left.push(round?.daysLeft)
    }
    assert.deepEqual(left, [19, 17, 15, 13, 11, 9, 7, 5, 3, 0])
    assert.deepEqual(await present(...range(-30, -1)), [])
  })

  it('drops nothing for a clock that jumps a year ahead and back', async () => {
    const { make, present } = partitionsOf(database)
    const days = range(-29, 0)
    await make(...days)
    await dropOldPartitions(first, retentionDays)
    await clock.moveBy(365 * dayMs)
    const jumped = await dropOldPartitions(first, retentionDays)
    assert.ok(jumped?.heldUntil)
    assert.deepEqual(jumped.dropped, [])
    assert.equal(jumped.daysLeft, days.length)
    await clock.moveBy(365 * dayMs + 12 * hourMs)
    assert.equal(await dropOldPartitions(second, retentionDays), null)
    await clock.moveBy(0)
    const back = await dropOldPartitions(first, retentionDays)
    assert.deepEqual([back?.dropped ?? [], back?.heldUntil ?? null], [[], null])
    assert.deepEqual(await present(...days), days)
    await make(-31)
    await clock.moveBy(25 * hourMs)
    await dropOldPartitions(first, retentionDays)
    assert.deepEqual(await present(-31), [], 'the pause ended when the clock was right again')
  })

  it('goes on as before after a clock went back', async () => {
    const { make, present } = partitionsOf(database)
    await make(-31)
    await clock.moveBy(-365 * dayMs)
    await dropOldPartitions(first, retentionDays)
    await clock.moveBy(0)
    assert.ok((await dropOldPartitions(first, retentionDays))?.heldUntil, 'it went ahead by a year')
    await clock.moveBy(25 * hourMs)
    await dropOldPartitions(first, retentionDays)
    assert.deepEqual(await present(-31), [])
  })

  it('drops no more than three days a day where the clock stays ahead', async () => {
    const { make, present } = partitionsOf(database)
    await make(...range(-9, 0))
    await clock.moveBy(365 * dayMs)
    await dropOldPartitions(first, retentionDays)
    await clock.moveBy(366 * dayMs + hourMs)
    await dropOldPartitions(first, retentionDays)
    await dropOldPartitions(second, retentionDays)
    assert.deepEqual(await present(...range(-9, 0)), range(-6, 0))
  })

  it('leaves a day with an event that is held until that is over', async () => {
    const { make, daysOf, today } = partitionsOf(database)
    await make(-40)
    const start = await today()
    const day = dayName(start - 40 * dayMs)
    const eventId = newId('event', start - 40 * dayMs + 5)
    await database.query(
      `insert into events (company_id, app_id, event_id, endpoint_id, type, otp_id, body) values ('cmp_x', 'app_x', $1, '', 'otp.approved', 'otp_x', '{}')`,
      [eventId],
    )
    await dropOldPartitions(first, retentionDays)
    for (const table of ['events', 'event_attempts']) assert.ok((await daysOf(table)).includes(day), table)
    for (const table of ['verifications', 'deliveries'])
      assert.ok(!(await daysOf(table)).includes(day), table)
    await database.query(`update events set status = 'sending' where event_id = $1`, [eventId])
    await dropAllOldPartitions(first, retentionDays)
    for (const table of ['events', 'event_attempts']) assert.ok((await daysOf(table)).includes(day), table)
    await database.query(`update events set status = 'expired' where event_id = $1`, [eventId])
    await dropAllOldPartitions(first, retentionDays)
    for (const table of ['events', 'event_attempts']) assert.ok(!(await daysOf(table)).includes(day), table)
  })

  it('is seen to by a running node, also where other steps of upkeep fail', async () => {
    const { make, parents, daysOf, today } = partitionsOf(database)
    await make(-50)
    const old = dayName((await today()) - 50 * dayMs)
    const tables = await parents()
    for (const table of ['idempotency_keys', 'figures_progress'])
      await database.query(`alter table ${table} rename to ${table}_away`)
    let node: Node | undefined
    try {
      node = await startNode(database.url)
      for (const table of tables)
        await until(`the old day of ${table} to be dropped`, async () => !(await daysOf(table)).includes(old))
      const { logged } = node
      for (const step of ['deleting from idempotency_keys', 'gathering figures'])
        assert.ok(
          logged.some(({ fields }) => fields.step === step),
          step,
        )
      assert.match((await node.call('GET', '/metrics')).body, /^countersign_partition_days_ahead 8$/m)
    } finally {
      await node?.close()
    }
  })

  it('does not touch what a running node needs', async () => {
    const node = await startNode(database.url)
    try {
      const { serverKey } = await createTenant(node)
      await dropAllOldPartitions(first, 8)
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    } finally {
      await node.close()
    }
  })

  it('can be hurried on the command line, which lists what goes before it is told to drop', async () => {
    const { make, present, parents } = partitionsOf(database)
    const tables = (await parents()).length
    await make(...range(-40, -31), -9, -1)
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      MASTER_KEY: Buffer.alloc(32).toString('base64'),
      ADMIN_TOKEN: 'x'.repeat(24),
    }
    const drop = async (...words: string[]) =>
      (await run(process.execPath, [...commandLine, 'drop-old-partitions', ...words], { env })).stdout
    await prepareDataKeys(first, { secrets: [Buffer.alloc(32)] })
    assert.match(await drop(), new RegExp(`^${10 * tables} partitions would be dropped$`, 'm'))
    assert.equal((await present(...range(-40, -31))).length, 10)
    assert.match(await drop('--now'), new RegExp(`^${10 * tables} partitions dropped$`, 'm'))
    assert.deepEqual(await present(...range(-40, -31), -9, -1), [-9, -1])
  })
})
