/** Connections to a server that has come to take no writes, while their address leads to one that does. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { isUnavailable, openDatabase } from '../src/platform/database.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'

let database: TestDatabase

before(async () => {
  database = await createTestDatabase()
})

after(async () => {
  await database?.close()
})

it('a connection that takes no writes is given up with the transaction that finds out', async () => {
  const name = new URL(database.url).pathname.slice(1)
  const open = openDatabase(database.url, 4, () => {})
  const change = () =>
    open.transaction(async (transaction) => {
      await transaction.query({ text: 'update changes set revision = revision + 1' })
    })
  const changeTogether = () =>
    open.inTwoTrips({
      read: async () => null,
      write: (transaction) => ({
        statements: [transaction.query({ text: 'update changes set revision = revision + 1' })],
        result: null,
      }),
    })
  try {
    // It holds for connections that are opened from now on; those opened before stay as they are.
    await database.query(`alter database ${name} set default_transaction_read_only = on`)
    for (const write of [change, changeTogether]) await assert.rejects(write(), isUnavailable)
    await database.query(
      `set transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    )
    for (const write of [change, changeTogether]) await write()
  } finally {
    await open.close()
  }
})
