/** A database that cannot be reached or never answers, and too many calls waiting for it: all are answered in time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppError } from '@countersign/contract'
import { coalesce } from '../src/platform/coalesce.ts'
import { openDatabase } from '../src/platform/database.ts'
import { Cable } from './harness/cable.ts'
import { createTestDatabase } from './harness/database.ts'

/** A database that accepts a query and never answers is only noticed by a timeout. */
const silentBoundMs = 20_000

describe('a database that cannot be reached', () => {
  it('is an UnavailableError, whatever the reason', async () => {
    const refused = openDatabase('postgresql://nobody@127.0.0.1:1/none', 2, () => {})
    await assert.rejects(refused.query({ text: 'select 1' }), { errorName: 'UnavailableError' })
    await assert.rejects(
      refused.transaction(async () => {}),
      { errorName: 'UnavailableError' },
    )
    await refused.close()
    const unnamed = openDatabase('postgresql://nobody@database.invalid:5432/none', 2, () => {})
    await assert.rejects(unnamed.query({ text: 'select 1' }), { errorName: 'UnavailableError' })
    await unnamed.close()
  })
})

describe('a database that falls silent', () => {
  it('is told to a caller as 503 before the caller’s connection is given up', async () => {
    const database = await createTestDatabase()
    const cable = new Cable(new URL(database.url))
    const url = new URL(database.url)
    url.port = String(await cable.listen())
    const pool = openDatabase(url.href, 2, () => {})
    try {
      assert.equal((await pool.query({ text: 'select 1' })).rowCount, 1)
      cable.silence()
      const begun = performance.now()
      const ended = pool
        .transaction((transaction) => transaction.query({ text: 'select 1' }))
        .then(
          () => 'answered',
          (error) => error.errorName,
        )
      const late = new Promise((resolve) => setTimeout(resolve, silentBoundMs, 'too late').unref())
      assert.equal(await Promise.race([ended, late]), 'UnavailableError', `${performance.now() - begun} ms`)
    } finally {
      cable.cut()
      await pool.close()
      await cable.close()
      await database.close()
    }
  })
})

describe('too many calls at once', () => {
  it('are refused with 503 and a wait, rather than left hanging; those before them are served', async () => {
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const submit = coalesce<number, number>(
      async (items) => {
        await gate
        return items.map((value) => ({ value }))
      },
      { maxRunning: 2, maxBatch: 4, maxWaiting: 14 },
    )
    const accepted = Array.from({ length: 10 }, (_, index) => submit(`group ${index % 3}`, index))
    for (let count = 0; count < 5; count++) {
      await assert.rejects(submit('group 0', -1), (error: AppError) => {
        assert.equal(error.errorName, 'UnavailableError')
        assert.ok(Number(error.details.retry_after) >= 1)
        return true
      })
    }
    open()
    assert.deepEqual(await Promise.all(accepted), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.equal(await submit('group 1', 11), 11)
  })

  it('of which one breaks a statement do not break the others', async () => {
    const submit = coalesce<number, number>(
      async (items) => {
        if (items.includes(3)) throw new Error('broken')
        return items.map((value) => ({ value }))
      },
      { maxRunning: 1, maxBatch: 10, maxWaiting: 100 },
    )
    const settled = await Promise.allSettled([1, 2, 3, 4].map((item) => submit('one', item)))
    assert.deepEqual(
      settled.map((outcome) => outcome.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
