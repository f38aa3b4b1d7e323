import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { asUnavailable } from '../platform/database.ts'
import { orFullDisk } from '../platform/embedded-database/disk.ts'
import { getDatabaseUrl, whyAway } from './reach.ts'

/** The errors that clients get from a PostgreSQL whose disk is full. */
const ends = ['53100', 'ECONNRESET', 'EPIPE', 'ECONNREFUSED', '57P01', '57P02', '57P03']

describe('why a service cannot start on a disk that is full', () => {
  for (const code of ends)
    it(`is the disk, when its database answers ${code}`, async () => {
      const error = Object.assign(new Error('the end of a connection'), { code })
      const full = await orFullDisk('/data', async () => 0, error)
      assert.equal(whyAway(full), null)
      assert.match(String(full), /The disk of \/data is full/)
    })

  it('is the disk too, when a new database did not fit and was removed again', async () => {
    const error = new Error('initdb could not make the database (1): … No space left on device')
    const full = await orFullDisk('/data', async () => 38_000_000, error)
    assert.match(String(full), /The disk of \/data is full: 38 MB are free, and PostgreSQL needs 100\./)
  })
})

describe('why a database cannot be reached', () => {
  it('is that its address is for another user, which is not the same as that no service runs', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'countersign-reach-'))
    const finding = () => getDatabaseUrl({ databaseUrl: null, dataDir })
    await assert.rejects(finding(), /No service is running on/)
    // A folder in its place cannot be read by anybody, root included.
    await mkdir(join(dataDir, 'database-url'))
    await assert.rejects(finding(), /database-url cannot be read \(EISDIR\)/)
    await rm(dataDir, { recursive: true })
  })

  it('is its socket, where DATABASE_URL names a folder without one', async () => {
    const client = new pg.Client({ host: '/nowhere', user: 'somebody', database: 'countersign' })
    const error = await client.connect().then(
      () => null,
      (failed: unknown) => failed,
    )
    assert.deepEqual(whyAway(error)?.what, 'it cannot be connected to (ENOENT)')
  })

  it('is that it closed the connection, as a relay does whose PostgreSQL does not run yet', async () => {
    const relay = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1')
    await once(relay, 'listening')
    const { port } = relay.address() as AddressInfo
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'somebody', database: 'countersign' })
    const error = await client.connect().then(
      () => null,
      (failed: unknown) => failed,
    )
    relay.close()
    assert.equal(whyAway(error)?.what, 'it closed the connection')
  })

  it('is that it lets nobody in, as while somebody restores it', () => {
    const error = Object.assign(new Error('database "otp" is not currently accepting connections'), {
      code: '55000',
    })
    assert.equal(whyAway(error)?.what, 'it lets nobody in')
  })

  it('is its disk or its memory, while it answers and cannot write', () => {
    const errorOf = (code: string) => asUnavailable(Object.assign(new Error('no room'), { code }))
    assert.equal(whyAway(errorOf('53100'))?.what, 'its disk is full')
    assert.equal(whyAway(errorOf('53200'))?.what, 'it has no memory left')
  })

  it('is what a pooler says that has one code for everything', () => {
    const error = Object.assign(new Error('no such database: countersing'), { code: '08P01' })
    assert.match(whyAway(error)?.what ?? '', /pooler in front of it says "no such database: countersing"/)
  })
})
