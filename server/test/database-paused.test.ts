/** Time limits of statements, for a process that stands still: all its timers are due before it reads anything. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'

const pauseMs = 60_000

let made: TestDatabase
let database: Database

before(async () => {
  made = await createTestDatabase()
  database = openDatabase(made.url, 8, () => {})
})

after(async () => {
  await database?.close()
  await made?.close()
})

const busy = () => database.pools().reduce((sum, pool) => sum + pool.busy, 0)

/** Resolves when so many statements are under way. */
async function untilBusy(count: number): Promise<void> {
  while (busy() < count) await nextTurn()
  await nextTurn()
}

const ask = (text: string) => [
  database.query({ text }),
  database.query({ name: `paused ${text}`, text }),
  database.transaction((transaction) => transaction.query({ text })),
]

describe('a process that stood still for longer than a statement may take', () => {
  it('takes the answers that came meanwhile', async (test) => {
    // Connections are opened before, since they have a time limit of their own.
    await Promise.all(ask('select pg_sleep(0.1)'))
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const answers = ask('select pg_sleep(0.3)')
    await untilBusy(answers.length)
    test.mock.timers.tick(pauseMs)
    for (const { rows } of await Promise.all(answers)) assert.equal(rows.length, 1)
  })

  it('still gives up an answer that does not come', async (test) => {
    await Promise.all(ask('select pg_sleep(0.1)'))
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const answers = ask('select pg_sleep(6)')
    const ends = Promise.allSettled(answers)
    await untilBusy(answers.length)
    test.mock.timers.tick(pauseMs)
    test.mock.timers.tick(pauseMs)
    for (const end of await ends) {
      assert.ok(end.status === 'rejected')
      assert.equal(end.reason.cause.message, 'Query read timeout')
    }
  })
})
