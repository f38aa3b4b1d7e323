/** Databases that cannot be used as they are: what is wrong, and what to do, in words and without the password. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { Closers } from '../src/platform/closers.ts'
import type { Log } from '../src/platform/log.ts'
import { openSurroundings } from '../src/service.ts'
import { runWords } from './cli-support.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { adminToken, testMasterKeys } from './harness/node.ts'

describe('a database that does not fit', () => {
  let server: TestDatabase
  const name = `unfit_${randomBytes(6).toString('hex')}`
  const user = `${name}_user`

  before(async () => {
    server = await createTestDatabase()
    await server.query(`create role ${user} login password 'secret-word'`)
  })
  after(async () => {
    await server.query(`drop role ${user}`)
    await server.close()
  })

  /** `change` is run in an empty database, which the user may own. */
  interface Case {
    readonly what: string
    readonly isOwner: boolean
    readonly made?: string
    readonly change?: readonly string[]
    readonly address?: (url: URL) => void
    readonly says: string
    /** What the user may do about it at once. */
    readonly remedy?: string
  }
  const cases: readonly Case[] = [
    {
      what: 'of somebody else',
      isOwner: false,
      says: 'its user may not do what is needed. Let the user of DATABASE_URL own the database and its tables',
    },
    {
      what: 'that is read only',
      isOwner: true,
      change: [`alter database ${name} set default_transaction_read_only = on`],
      says: 'it takes no writes: it is a standby, or read only. Let DATABASE_URL name the primary',
    },
    {
      what: 'with migrations of another program',
      isOwner: true,
      change: ['create table migrations (id integer, batch integer)'],
      says: 'it has tables of another program, or of another version. Give Countersign a database of its own',
    },
    {
      what: 'with a table of another program',
      isOwner: true,
      change: ['create table companies (id integer)'],
      says: 'it has tables of another program, or of another version. Give Countersign a database of its own',
    },
    {
      what: 'whose search_path names no schema that exists',
      isOwner: true,
      change: [`alter database ${name} set search_path = nowhere`],
      says: 'it has no schema to make tables in. Create the schema that search_path names',
    },
    {
      what: 'that writes dates in another way',
      isOwner: true,
      change: [`alter database ${name} set datestyle = 'German, DMY'`],
      says: 'The database has DateStyle = German, DMY, with which it does not work. Run there: alter role',
      remedy: `alter role ${user} in database ${name} set datestyle = 'ISO';`,
    },
    {
      what: 'whose transactions are isolated from each other by default',
      isOwner: true,
      change: [
        `alter role ${user} in database ${name} set default_transaction_isolation = 'repeatable read'`,
      ],
      says: 'The database has default_transaction_isolation = repeatable read, with which it does not work.',
      remedy: `alter role ${user} in database ${name} set default_transaction_isolation = 'read committed';`,
    },
    {
      what: 'that wants a password where there is none',
      isOwner: true,
      address: (url) => {
        url.password = ''
      },
      says: 'it wants a password, and DATABASE_URL has none. Set user and password in it',
    },
    {
      what: 'that cannot hold every script',
      isOwner: true,
      made: `encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
      says: 'The database has the encoding LATIN1, in which not every name can be written. Create it with UTF8',
    },
  ]

  for (const { what, isOwner, made = '', change = [], address, says, remedy } of cases) {
    // If a failed connection were left open, PostgreSQL would wait a minute for it.
    it(`${what} is refused in words, and nothing is left that waits`, { timeout: 30_000 }, async () => {
      await server.query(`create database ${name} ${made}`)
      const url = new URL(server.url)
      url.pathname = `/${name}`
      try {
        const client = new pg.Client({ connectionString: url.href })
        await client.connect()
        if (isOwner) await client.query(`grant create on schema public to ${user}`)
        for (const text of change) await client.query(text)
        if (isOwner) await client.query(`alter database ${name} owner to ${user}`)
        await client.end()
        url.username = user
        url.password = 'secret-word'
        address?.(url)
        const settings = {
          DATABASE_URL: url.href,
          MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
          ADMIN_TOKEN: adminToken,
        }
        const { code, text } = await runWords(['migrate'], settings)
        assert.ok(text.includes(says), text)
        assert.ok(!text.includes('secret-word'))
        assert.equal(code, 3, text)
        const doctor = await runWords(['doctor'], settings)
        assert.match(doctor.text, /FAULT/)
        assert.doesNotMatch(doctor.text, /reassign owned/, 'of tables that are not ours')
        if (remedy) {
          for (const said of [text, doctor.text]) assert.ok(said.includes(remedy), said)
          const owner = new pg.Client({ connectionString: url.href })
          await owner.connect()
          await owner.query(remedy)
          await owner.end()
          assert.equal((await runWords(['migrate'], settings)).code, 0)
        }
        if (what === 'with a table of another program')
          assert.match(doctor.text, /those of another program: companies\./)
      } finally {
        await server.query(`drop database ${name} with (force)`)
      }
    })
  }

  it('at several hosts, of which one does not answer and one does not take the password, is refused in the words of that one', async () => {
    const url = new URL(server.url)
    url.username = user
    url.password = 'wrong-word'
    const settings = {
      // Nothing listens at the first address, as after a failover.
      DATABASE_URL: url.href.replace(url.host, `127.0.0.1:1,${url.host}`),
      MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
      ADMIN_TOKEN: adminToken,
    }
    for (const word of ['migrate', 'doctor']) {
      const { code, text } = await runWords([word], settings)
      assert.ok(text.includes('it does not take the password'), text)
      assert.equal(code, 3)
    }
  })

  it('that may lose what it has committed is used, and named in the log at the start', async () => {
    const [row] = await server.query('select current_database() as name')
    const startsWith = async (value: string) => {
      await server.query(`alter database ${row?.name} set synchronous_commit = ${value}`)
      const warnings: string[] = []
      const log: Log = (level, _message, fields) => {
        if (level === 'warn') warnings.push(String(fields?.settings))
      }
      const config = readConfig({
        PORT: '0',
        DATABASE_URL: server.url,
        MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
        ADMIN_TOKEN: adminToken,
      })
      const starting = { log, progress: () => {}, signal: new AbortController().signal }
      await openSurroundings(
        config,
        starting,
        new Closers(['app', 'surroundings'], { log, onWaiting: () => {} }),
      )
      return warnings.join().includes('synchronous_commit=off')
    }
    assert.equal(await startsWith('on'), false)
    assert.equal(await startsWith('off'), true)
  })
})
