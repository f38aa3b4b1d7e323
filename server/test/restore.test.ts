/** A backup is restored on another server: with the master key everything works, without it the start says so. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { verifyAudit } from '../src/domain/members/index.ts'
import { startThrowawayDatabase } from '../src/platform/embedded-database.ts'
import { migrate } from '../src/platform/migrate.ts'
import { migrationsFolder } from './harness/database.ts'
import { createRecordedTenant, freshPhone, started, until, verify } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

const run = promisify(execFile)
const majorOf = (text: string) => Number(/(\d+)/.exec(text)?.[1] ?? 0)

/** PostgreSQL's own tools, if they are installed and not older than the server. */
async function hasTools(serverVersion: string): Promise<boolean> {
  const found = await Promise.all(
    ['pg_dump', 'psql'].map((name) => run(name, ['--version']).catch(() => ({ stdout: '0' }))),
  )
  return found.every(({ stdout }) => majorOf(stdout) >= majorOf(serverVersion))
}

async function dumpAndRestore(from: string, to: string): Promise<void> {
  const { stdout } = await run('pg_dump', ['--no-owner', from], { maxBuffer: 100_000_000 })
  const restoring = run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null', to])
  restoring.child.stdin?.end(stdout)
  await restoring
}

/** What a dump does, by hand: the same tables and partitions, and every row. */
async function copyRows(from: string, to: string): Promise<void> {
  await migrate(to, migrationsFolder, () => {})
  const [source, target] = [from, to].map((connectionString) => new pg.Client({ connectionString }))
  if (!source || !target) return
  await Promise.all([source.connect(), target.connect()])
  try {
    const days = await source.query<{ name: string; parent: string; bound: string }>(
      `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
         from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
        where c.relkind = 'r' order by 1`,
    )
    for (const { name, parent, bound } of days.rows)
      await target.query(`create table if not exists ${name} partition of ${parent} ${bound}`)
    const tables = await source.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    )
    // As in a dump, rows come before what they refer to.
    await target.query('set session_replication_role = replica')
    for (const { name } of tables.rows) {
      const rows = await source.query<{ all: string }>(
        `select coalesce(json_agg(t), '[]')::text as all from ${name} t`,
      )
      await target.query(`delete from ${name}`)
      await target.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [
        rows.rows[0]?.all,
      ])
    }
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

describe('a backup', () => {
  let service: Service
  let other: Awaited<ReturnType<typeof startThrowawayDatabase>>
  before(async () => {
    const opened = await Promise.all([startService(), startThrowawayDatabase()])
    service = opened[0]
    other = opened[1]
  })
  after(async () => {
    await service.close()
    await other.close()
  })

  it('that is brought back on another server goes on with the master key, and says so without it', async (context) => {
    const tenant = await createRecordedTenant(service.node)
    const recipient = freshPhone()
    const { otpId, code } = await started(service.node, tenant.publishableKey, recipient)
    // A message that is still queued in the backup would be sent from there again.
    await until('the message to be sent', async () => {
      const rows = await service.database.query(
        `select 1 from deliveries where otp_id = $1 and status = 'sent'`,
        [otpId],
      )
      return rows.length > 0
    })
    await service.node.close()
    const [version] = await service.database.query<{ server_version: string }>('show server_version')
    const isByTools = await hasTools(version?.server_version ?? '999')
    context.diagnostic(
      isByTools ? 'by pg_dump and psql' : 'row by row: there is no pg_dump as new as the server here',
    )
    await (isByTools ? dumpAndRestore : copyRows)(service.database.url, other.url)

    await assert.rejects(
      startNode(other.url, { masterKeys: { secrets: [randomBytes(32)] } }),
      /MASTER_KEY is not the one this database was made with\. Give the right one.* restore the file master-key in DATA_DIR\./,
    )
    const restored = await startNode(other.url)
    try {
      const judged = await verify(restored, tenant.publishableKey, otpId, code)
      assert.deepEqual([judged.status, judged.body.matched], [200, true], 'keys and codes of before are good')
      const token = { verification_token: judged.body.verification_token }
      const exchanged = await restored.call('POST', '/api/v1/verifications/exchange', {
        key: tenant.serverKey,
        body: token,
      })
      assert.equal(exchanged.body.recipient, recipient, 'what was sealed can be opened')
      const chains = await verifyAudit(restored.app, null)
      assert.ok(chains.length > 0 && chains.every(({ broken }) => broken === null), 'the audit trail holds')
      await started(restored, tenant.serverKey)
      assert.deepEqual(restored.capture.to(recipient), [], 'what was sent is not sent again')
    } finally {
      await restored.close()
    }
  })
})
