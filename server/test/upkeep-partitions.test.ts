/** Partitions are made in advance, even by two nodes at once, and whatever else fails. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { makePartitions } from '../src/platform/partitions.ts'
import { startPartitionMaker } from '../src/worker/partitions.ts'
import { makeMovableClock } from './harness/clock.ts'
import { createTestDatabase, createTestDatabaseWithoutPartitions } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { dayMs, dayName, openTwoPools, partitionsOf, stayInOneDay } from './upkeep-support.ts'

// A template with partitions may have been made yesterday.
const { database, first, second, close } = await openTwoPools(createTestDatabaseWithoutPartitions)
after(close)

describe('partitions', () => {
  beforeEach(stayInOneDay)

  it('are there from yesterday to eight days ahead, for every table that is cut, though two nodes make them at once', async () => {
    const { today, parents, daysOf } = partitionsOf(database)
    await Promise.all([first, second, first, second].map(makePartitions))
    const start = await today()
    const wanted = Array.from({ length: 10 }, (_, index) => dayName(start + (index - 1) * dayMs))
    const tables = await parents()
    assert.ok(tables.length >= 4)
    for (const table of tables) assert.deepEqual(await daysOf(table), wanted, table)
  })

  it('can be made again and again without an effect', async () => {
    const { daysOf } = partitionsOf(database)
    await makePartitions(first)
    const before = await daysOf('verifications')
    await makePartitions(first)
    assert.deepEqual(await daysOf('verifications'), before)
  })

  it('take an id of each of their days, from its first millisecond to its last', async () => {
    await makePartitions(first)
    const start = await partitionsOf(database).today()
    const times = [-dayMs, -1, 0, dayMs - 1, dayMs, 9 * dayMs - 1]
    for (const time of times.map((offset) => start + offset)) {
      const rows = await database.query<{ partition: string }>(
        `insert into decisions (company_id, app_id, decision_id, otp_id, kind, rules, created_at) values ('cmp_x', 'app_x', $1, 'otp_x', 'send', '[]', now())
         returning tableoid::regclass::text as partition`,
        [newId('decision', time)],
      )
      assert.equal(rows[0]?.partition, `decisions_${dayName(time)}`)
    }
  })

  /** Makes a day's partition of one table impossible to create, because its name is taken. */
  async function spoil(table: string, day: number): Promise<() => Promise<unknown>> {
    const name = `${table}_${dayName((await partitionsOf(database).today()) + day * dayMs)}`
    await database.query(`drop table ${name}`)
    await database.query(`create table ${name} (nothing int)`)
    return () => database.query(`drop table ${name}`)
  }

  it('of one table that cannot be made keep no other table from getting its own', async () => {
    const { today, daysOf } = partitionsOf(database)
    await makePartitions(first)
    const mend = await spoil('verifications', 8)
    const last = dayName((await today()) + 8 * dayMs)
    for (const table of ['decisions', 'events']) await database.query(`drop table ${table}_${last}`)
    await assert.rejects(makePartitions(first), /already exists/)
    for (const table of ['decisions', 'events']) assert.equal((await daysOf(table)).at(-1), last)
    await mend()
    await makePartitions(first)
    assert.equal((await daysOf('verifications')).at(-1), last)
  })

  it('are counted ahead in the metrics, and fewer than three days are warned of, once', async () => {
    await makePartitions(first)
    const metrics = createMetrics()
    const clock = { nowMs: Date.now }
    const logged: unknown[] = []
    const watch = () =>
      startPartitionMaker({
        database: first,
        clock,
        metrics,
        log: (_level, message, fields) => logged.push([message, fields?.days_ahead]),
        warn: (message) => logged.push([message, undefined]),
      })
    const ahead = async () => /^countersign_partition_days_ahead (\S+)$/m.exec(await metrics.text())?.[1]
    const mend = await spoil('decisions', 2)
    const maker = watch()
    await until('the days to be counted', async () => (await ahead()) === '1')
    maker.nudge()
    await until('another look', () => logged.filter((line) => String(line).includes('failed')).length >= 2)
    await maker.close()
    await mend()
    const warnings = logged.filter((line) => String(line).includes('little room'))
    assert.deepEqual(warnings, [
      ['there is little room ahead; what has no partition for its day is refused', 1],
    ])
  })

  it('that no worker has made yet make a call come again shortly', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      const clock = await makeMovableClock(own)
      node = await startNode(clock.url, { role: 'api' })
      const { serverKey } = await createTenant(node)
      await clock.moveBy(365 * dayMs)
      const running = node
      const refused = await until('a send that has no partition', async () => {
        const answer = await send(running, serverKey, { recipient: freshPhone() })
        return answer.status !== 200 && answer
      })
      assert.equal(refused.status, 503, JSON.stringify(refused.body))
      assert.equal(refused.headers.get('retry-after'), '1')
    } finally {
      await node?.close()
      await own.close()
    }
  })

  it('are made for the days of a clock that has jumped ahead, and sends go on', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      const clock = await makeMovableClock(own)
      node = await startNode(clock.url)
      const { serverKey } = await createTenant(node)
      await clock.moveBy(365 * dayMs)
      const running = node
      await until(
        'a send to be taken',
        async () => (await send(running, serverKey, { recipient: freshPhone() })).status === 200,
        60_000,
      )
    } finally {
      await node?.close()
      await own.close()
    }
  })
})
