/** Problems of the database are named: at /readyz, in a metric and in one line of the log; callers get 503. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { Cable } from './harness/cable.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const role = `limited_${randomBytes(6).toString('hex')}`
const password = randomBytes(12).toString('hex')
const endedWithinMs = 60_000
const wrongLine = 'the database cannot be used as it should'
const rightLine = 'the database is in order again'

let database: TestDatabase
let server: pg.Client
let cable: Cable
let node: Node
let tenant: Tenant
let name: string

before(async () => {
  database = await createTestDatabase()
  const url = new URL(database.url)
  name = url.pathname.slice(1)
  server = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
  await server.connect()
  // Not a superuser, to whom no limit applies; as a member of the owner's role it may do what the owner may.
  await server.query(`create role ${role} login password '${password}' in role ${url.username}`)
  cable = new Cable(new URL(url))
  url.port = String(await cable.listen())
  url.username = role
  url.password = password
  node = await startNode(url.href)
  tenant = await createTenant(node)
})

after(async () => {
  await node?.close()
  await cable?.close()
  await database?.close()
  await server?.query(`drop role ${role}`)
  await server?.end()
})

/**
 * Changes settings as an administrator does: they apply to new connections, and the others are ended. The cable is cut
 * meanwhile, because a connection that is just being opened would still get the old settings.
 */
async function change(statement: string): Promise<void> {
  cable.cut()
  await server.query(statement)
  await server.query('select pg_terminate_backend(pid, $2) from pg_stat_activity where usename = $1', [
    role,
    endedWithinMs,
  ])
  cable.mend()
}

/** A disk cannot be filled or broken without root, so a trigger raises the error that PostgreSQL would. */
const badDisk = (condition: string) => ({
  begin: async () => {
    const refuse = `raise exception 'no disk' using errcode = '${condition}'`
    await database.query(
      `create function no_disk() returns trigger language plpgsql as $$ begin ${refuse}; end $$`,
    )
    await database.query(
      `create function no_new_disk() returns event_trigger language plpgsql as $$ begin ${refuse}; end $$`,
    )
    await database.query(
      'create trigger no_disk before insert on verifications for each row execute function no_disk()',
    )
    await database.query(
      `create event trigger no_new_disk on ddl_command_start when tag in ('CREATE TABLE')
         execute function no_new_disk()`,
    )
  },
  end: async () => {
    await database.query('drop event trigger no_new_disk')
    await database.query('drop trigger no_disk on verifications')
    await database.query('drop function no_disk, no_new_disk')
  },
})

const causes: readonly {
  readonly title: string
  readonly problem: string
  readonly begin: () => Promise<unknown>
  readonly end: () => Promise<unknown>
}[] = [
  {
    title: 'that has become read-only',
    problem: 'read_only',
    begin: () => change(`alter database ${name} set default_transaction_read_only = on`),
    end: () => change(`alter database ${name} reset default_transaction_read_only`),
  },
  {
    title: 'that has no connection left',
    problem: 'connections_exhausted',
    begin: () => change(`alter role ${role} connection limit 0`),
    end: () => server.query(`alter role ${role} connection limit -1`),
  },
  {
    title: 'that takes the password no more',
    problem: 'refused',
    begin: () => change(`alter role ${role} password 'another'`),
    end: () => server.query(`alter role ${role} password '${password}'`),
  },
  {
    title: 'that cannot be reached',
    problem: 'unreachable',
    begin: async () => cable.cut(),
    end: async () => cable.mend(),
  },
  { title: 'whose disk is full', problem: 'disk_full', ...badDisk('disk_full') },
  { title: 'whose disk errs', problem: 'disk_failing', ...badDisk('io_error') },
  { title: 'whose files are gone', problem: 'disk_failing', ...badDisk('undefined_file') },
]

const metricOf = async (problem: string) =>
  new RegExp(`^countersign_database_problem\\{problem="${problem}"\\} (\\d)$`, 'm').exec(
    (await node.call('GET', '/metrics')).body,
  )?.[1]

describe('a database', () => {
  for (const { title, problem, begin, end } of causes) {
    it(`${title} is named ${problem}, and named as mended without a restart`, async () => {
      const linesBefore = node.logged.length
      const logged = (message: string) =>
        node.logged
          .slice(linesBefore)
          .filter((line) => line.message === message && line.fields.problem === problem)
      await begin()
      const ready = await until('readyz to name it', async () => {
        // Some problems are only noticed by a call, and a single call may fail for another reason.
        await send(node, tenant.serverKey, { recipient: freshPhone() })
        const answer = await node.call('GET', '/readyz')
        return answer.status === 503 && answer.body.problems?.includes(problem) && answer
      })
      assert.equal(ready.body.status, 'not ready')
      assert.equal(await metricOf(problem), '1')
      const refused = await send(node, tenant.serverKey, { recipient: freshPhone() })
      assert.equal(refused.status, 503)
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      assert.equal(logged(wrongLine).length, 1)
      assert.ok(logged(wrongLine)[0]?.fields.cause)
      await end()
      await until('readyz to be good', async () => {
        const { status, body } = await node.call('GET', '/readyz')
        return status === 200 && body.problems === undefined
      })
      assert.equal(logged(wrongLine).length, 1, 'said once, however often it was heard')
      assert.equal(logged(rightLine).length, 1)
      assert.equal(await metricOf(problem), '0')
      assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
    })
  }

  it('that goes from one problem to the next is in order once it has none; work that comes again says nothing of it', async () => {
    const linesBefore = node.logged.length
    const figure = async (metric: string) => {
      const { body } = await node.call('GET', '/metrics')
      return Number(
        body
          .split('\n')
          .find((line: string) => line.startsWith(`${metric} `))
          ?.split(' ')[1],
      )
    }
    const named = (problems: string | undefined) =>
      until(`readyz to say ${problems}`, async () => {
        const { body } = await node.call('GET', '/readyz')
        return body.problems?.join() === problems
      })
    const skippedBefore = await figure('countersign_guessing_skipped_total')
    cable.cut()
    await named('unreachable')
    const errors = 'countersign_database_errors_total{problem="unreachable"}'
    const errorsBefore = await figure(errors)
    await until('every loop to have tried', async () => (await figure(errors)) > errorsBefore + 50)
    await server.query(`alter role ${role} password 'another'`)
    cable.mend()
    await named('refused')
    assert.ok(!node.logged.slice(linesBefore).some(({ message }) => message === rightLine))
    await server.query(`alter role ${role} password '${password}'`)
    await named(undefined)
    const lines = node.logged.slice(linesBefore).filter(({ level }) => level !== 'debug')
    assert.deepEqual(
      lines.flatMap(({ message, fields: { problem } }) => (problem ? [`${message}: ${problem}`] : [])),
      [
        `${wrongLine}: unreachable`,
        `${wrongLine}: refused`,
        `${rightLine}: unreachable`,
        `${rightLine}: refused`,
      ],
    )
    // One line for each lost connection, and one for what is kept in memory meanwhile.
    const expected = /^a database connection was lost$|waits? to be written$/
    const others = lines.filter(({ message, fields }) => 'stack' in fields && !expected.test(message))
    assert.deepEqual(others, [])
    assert.equal(await figure('countersign_guessing_skipped_total'), skippedBefore)
  })

  it('whose connections were lost left a cause for each in the log', () => {
    const lost = node.logged.filter(({ message }) => message === 'a database connection was lost')
    assert.ok(lost.length > 0)
    for (const { fields } of lost) assert.match(String(fields.code), /^(57P01|unreachable|ECONN\w+|EPIPE)$/)
  })
})
