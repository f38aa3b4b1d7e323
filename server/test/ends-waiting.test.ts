/**
 * Generated from the table of operations: a change of a company or an app that starts before its end and is written
 * after it has no effect, and no caller is told that it had. New operations are included automatically.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import pg from 'pg'
import { providerKinds } from '../src/channels/index.ts'
import { isChange } from '../src/http/audit.ts'
import { tenantTables } from '../src/platform/tenant.ts'
import { createTenant, started, type Tenant, until } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'
import { validBody } from './harness/valid-bodies.ts'

const known = ['company_id', 'app_id', 'otp_id']

const isOfTenant = ({ path, company }: Operation) =>
  path.startsWith('/manage/') &&
  (path.includes('{') || company !== undefined) &&
  [...path.matchAll(/\{(\w+)\}/g)].every(([, parameter = '']) => known.includes(parameter))

const changes = Object.entries<Operation>(operations).filter(
  ([, operation]) => isChange(operation) && operation.method !== 'DELETE' && isOfTenant(operation),
)
/** An erasure also covers a closed company, and a test of its alerts changes nothing. */
const mayBeDone = ['eraseRecipient', 'eraseVerification', 'testAlerts']

/** Tables that record every call, that change without a call, or that belong to messages already under way. */
const isByItself =
  /^(audit_\w+|companies|apps|events|event_attempts|decisions|deliveries|limits|\w+_counts|provider_\w+s|ledger|spend_\w+|(way_)?figures)$/
const written = tenantTables.filter((name) => !isByItself.test(name))
const rowsOfCompany = written
  .map((name) => `select '${name}' as name, count(*)::integer as count from "${name}" where company_id = $1`)
  .join(' union all ')

const ends = {
  'its company is closed': [
    'update companies set closed_at = now() where company_id = $1',
    'update apps set deleted_at = now() where company_id = $1',
  ],
  'its app is deleted': ['update apps set deleted_at = now() where company_id = $1'],
} as const

describe('a change that waits while', () => {
  let service: Service
  before(async () => {
    service = await startService({ kinds: new Map(Object.entries(providerKinds)) })
  })
  after(() => service.close())

  const countsOf = async (companyId: string) =>
    Object.fromEntries(
      (await service.database.query<{ name: string; count: number }>(rowsOfCompany, [companyId])).map(
        ({ name, count }) => [name, count],
      ),
    )

  async function callOf(tenant: Tenant, name: string, operation: Operation, headers = {}) {
    const needsOne = operation.path.includes('{otp_id}')
    const otpId = needsOne ? (await started(service.node, tenant.serverKey)).otpId : ''
    const ids: Readonly<Record<string, string>> = {
      company_id: tenant.companyId,
      app_id: tenant.appId,
      otp_id: otpId,
    }
    const path = operation.path
      .replace('/manage/v1', '')
      .replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? '')
    const declared = operation.company === 'body' ? { company_id: tenant.companyId } : {}
    const query = operation.company === 'query' ? `?company_id=${tenant.companyId}` : ''
    const valid = validBody(name, operation)
    return () =>
      service.node.call(operation.method, `/manage/v1${path}${query}`, {
        key: adminToken,
        headers,
        ...(valid ? { body: { ...valid, ...declared } } : {}),
      })
  }

  /** The call waits at its first write until the end is committed. */
  async function meanwhile(companyId: string, end: readonly string[], call: () => Promise<unknown>) {
    const ender = new pg.Client({ connectionString: service.database.url })
    await ender.connect()
    const { rows } = await ender.query<{ pid: number }>('select pg_backend_pid() as pid')
    await ender.query('begin')
    for (const statement of end) await ender.query(statement, [companyId])
    await ender.query('update changes set revision = revision + 1')
    await ender.query(`lock table ${written.join(', ')} in share row exclusive mode`)
    let isAnswered = false
    const answer = call().finally(() => {
      isAnswered = true
    })
    const look = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
    await until(
      'it waits, or is answered',
      async () => isAnswered || (await service.database.query(look, [rows[0]?.pid])).length > 0,
    )
    await ender.query('commit')
    await ender.end()
    return answer
  }

  for (const [ending, statements] of Object.entries(ends)) {
    for (const [name, operation] of changes) {
      if (ending === 'its app is deleted' && !operation.path.includes('{app_id}')) continue
      const makesNothing = async (headers: Record<string, string>) => {
        const tenant = await createTenant(service.node)
        const call = await callOf(tenant, name, operation, headers)
        const earlier = await countsOf(tenant.companyId)
        let status = 0
        await meanwhile(tenant.companyId, statements, async () => {
          status = (await call()).status
        })
        if (!mayBeDone.includes(name)) assert.equal(status, 404)
        assert.deepEqual(await countsOf(tenant.companyId), earlier)
      }
      it(`${ending} makes nothing: ${name}`, () => makesNothing({}))
      if (operation.isOnce)
        it(`${ending} makes nothing, and uses no key up: ${name}`, () =>
          makesNothing({ 'idempotency-key': 'waiting' }))
    }
  }
})
