/** The doctor: what it finds, and what it says about each fault. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { databaseUrlFile } from '../src/platform/data-folder.ts'
import { closedPort } from './channels/support.ts'
import { startCommandLine } from './cli-support.ts'
import { testMasterKeys } from './harness/node.ts'

const { service, countersign, close } = await startCommandLine()
after(close)

describe('the doctor', () => {
  const examine = async (more?: Record<string, string>) => {
    const { code, text } = await countersign(['doctor', '--json'], more)
    const findings: { name: string; status: string; says: string; mend: string | null }[] =
      JSON.parse(text).findings
    const names = findings.map(({ name }) => name)
    return { code, names, of: (name: string) => findings.filter((one) => one.name === name) }
  }

  it('looks at everything, and finds an installation that works', async () => {
    const { code, of } = await examine()
    assert.equal(code, 0)
    for (const name of ['settings', 'database', 'version', 'writes', 'tables', 'privileges'])
      assert.deepEqual(
        of(name).map(({ status }) => status),
        ['ok'],
        name,
      )
    for (const name of [
      'clock',
      'master key',
      'size',
      'partitions',
      'workers',
      'messages',
      'lists',
      'public address',
    ])
      assert.deepEqual(
        of(name).map(({ status }) => status),
        ['ok'],
        name,
      )
    assert.deepEqual(
      of('providers').map(({ status }) => status),
      ['warning'],
    )
    // Other connections may be open on the same server.
    assert.match(of('connections')[0]?.says ?? '', /^\d+ of \d+ are in use\.$/)
  })

  it('names settings with which what was committed may be lost, also those of the role or the database', async () => {
    const [row] = await service.database.query(
      `select current_database() as name, current_setting('fsync') as fsync`,
    )
    const commits = (value: string) =>
      service.database.query(`alter database ${row?.name} set synchronous_commit = ${value}`)
    const names = async (): Promise<string[]> =>
      (await examine()).of('durability')[0]?.says.match(/\w+=off/g) ?? []
    await commits('on')
    const before = await names()
    assert.equal(before.includes('fsync=off'), row?.fsync === 'off')
    await commits('off')
    assert.deepEqual(await names(), [...before, 'synchronous_commit=off'])
    await commits('on')
  })

  it('names what other accounts of the machine can read in the data folder', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-doctor-'))
    context.after(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'master-key'), 'secret', { mode: 0o644 })
    await writeFile(join(folder, 'admin-token'), 'secret', { mode: 0o600 })
    await chmod(join(folder, 'master-key'), 0o644)
    const secrets = async () => (await examine({ DATA_DIR: folder })).of('secrets')
    assert.deepEqual(await secrets(), [], 'nobody else may enter the folder')
    await chmod(folder, 0o755)
    const [found] = await secrets()
    assert.equal(found?.says, `Every account of this machine can read master-key in ${folder}.`)
    assert.equal(found?.mend, `Keep others out: chmod 700 '${folder}'`)
  })

  it('names a variable that nobody reads', async () => {
    const { code, of } = await examine({ TRUSTED_PROXYS: '10.0.0.0/8', RETENTION_DAY: '9' })
    assert.equal(code, 0)
    assert.deepEqual(
      of('settings').map(({ says }) => says),
      ['They can be read.', 'RETENTION_DAY is not read. Did you mean RETENTION_DAYS?'],
    )
  })

  it('looks at the disk of an embedded database that does not answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
    try {
      await writeFile(join(folder, databaseUrlFile), `postgres://nobody@127.0.0.1:${closedPort}/none`)
      const { names } = await examine({ DATABASE_URL: '', DATA_DIR: folder })
      assert.deepEqual(names, ['settings', 'disk', 'database'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('names another master key, and what it means', async () => {
    const { code, of } = await examine({ MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
    assert.equal(code, 1)
    assert.match(of('master key')[0]?.says ?? '', /MASTER_KEY is not the one this database was made with/)
  })

  it('says which of several master keys is needed, in whichever order they are given', async () => {
    const used = testMasterKeys.secrets[0].toString('base64')
    const other = Buffer.alloc(32, 7).toString('base64')
    const said = async (keys: string) => {
      const [found] = (await examine({ MASTER_KEY: keys })).of('master key')
      return [found?.status, found?.says]
    }
    assert.deepEqual(await said(`${used},${other}`), [
      'ok',
      'The first of MASTER_KEY wraps all data keys. The others can be left out once every process has this order; keep them for backups made before.',
    ])
    assert.deepEqual(await said(`${other},${used}`), [
      'warning',
      'A data key is wrapped by a key that is not the first of MASTER_KEY: keep every one of them.',
    ])
  })

  it('names a public address that leads elsewhere', async () => {
    const stranger = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => stranger.once('listening', resolve))
    const { port } = stranger.address() as AddressInfo
    try {
      const { code, of } = await examine({ PUBLIC_URL: `http://127.0.0.1:${port}` })
      assert.equal(code, 1)
      assert.match(of('public address')[0]?.says ?? '', /is not Countersign \(status 200\)/)
    } finally {
      await new Promise((resolve) => stranger.close(resolve))
    }
    // Not the port that was just released: another program may have taken it.
    const { of } = await examine({ PUBLIC_URL: `http://127.0.0.1:${closedPort}` })
    assert.match(of('public address')[0]?.says ?? '', /nothing listens there/)
  })

  it('names what a user of the database may not do', async () => {
    const role = `limited_${process.pid}`
    await service.database.query(`create role ${role} login password 'limited'`)
    try {
      const url = new URL(service.database.url)
      url.username = role
      url.password = 'limited'
      await service.database.query(`grant select on migrations to ${role}`)
      const { code, of } = await examine({ DATABASE_URL: url.href })
      assert.equal(code, 1)
      const [found] = of('privileges')
      assert.match(found?.says ?? '', /may not create tables/)
      assert.match(found?.mend ?? '', /^As its owner run: grant create on schema/)
    } finally {
      await service.database.query(`drop owned by ${role}; drop role ${role}`)
    }
  })

  it('names tables of another version, and asks no further', async () => {
    await service.database.query(`insert into migrations (name, sha256) values ('9999_newer.sql', '')`)
    const { code, of } = await examine()
    await service.database.query(`delete from migrations where name = '9999_newer.sql'`)
    assert.equal(code, 1)
    assert.match(of('tables')[0]?.says ?? '', /newer version \(9999_newer\.sql\)/)
    assert.deepEqual(of('connections'), [])
  })

  it('names tables that were made by another text of their migration', async () => {
    const [stored] = await service.database.query<{ sha256: string }>(
      `select sha256 from migrations where name = '0001_schema.sql'`,
    )
    await service.database.query(`update migrations set sha256 = 'other' where name = '0001_schema.sql'`)
    const { code, of } = await examine()
    await service.database.query(
      `update migrations set sha256 = '${stored?.sha256}' where name = '0001_schema.sql'`,
    )
    assert.equal(code, 1)
    assert.match(of('tables')[0]?.says ?? '', /unreleased version: 0001_schema\.sql has changed/)
  })

  it('names an account that fails, with its last error', async () => {
    await service.database.query(
      `insert into providers (company_id, provider_id, channel, kind, settings, secrets)
       values ('operator', 'prv_00000000000000000000000000', 'sms', 'smpp', '{}', '')`,
    )
    await service.database.query(
      `insert into provider_states (company_id, provider_id, revision, link, link_since, link_at, error_code, error_message, error_at, expires_at)
       values ('operator', 'prv_00000000000000000000000000', 1, 'down', now(), now() + interval '1 hour', 'ECONNREFUSED', 'Nobody listens.', now(), now() + interval '1 day')`,
    )
    const { code, of } = await examine()
    await service.database.query(`delete from providers; delete from provider_states`)
    assert.equal(code, 1)
    assert.match(of('providers')[0]?.says ?? '', /smpp prv_0+ fails: Nobody listens\. \(ECONNREFUSED\)/)
    assert.match(of('providers')[0]?.mend ?? '', /reach its host and port/)
  })
})
