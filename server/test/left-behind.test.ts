/** Connections that are useless: to a server that no longer accepts writes, and to one that never answers. */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
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
    // This applies to new connections; open ones stay as they are.
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

it('who waits for a host that says nothing is told when the database is closed', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  assert.ok(address && typeof address === 'object')
  const open = openDatabase(database.url.replace('@', `@127.0.0.1:${address.port},`), 4, () => {})
  const asked = assert.rejects(open.query({ text: 'select 1' }))
  await open.close()
  await asked
  for (const socket of sockets) socket.destroy()
  silent.close()
})
