/** Every operation that takes an idempotency key, with something to call it on, on two nodes. */
import assert from 'node:assert/strict'
import { type Operation, operations } from '@countersign/contract'
import { providerKinds } from '../src/channels/index.ts'
import { tenantTables } from '../src/platform/tenant.ts'
import type { TestDatabase } from './harness/database.ts'
import { createTenant, freshEmail } from './harness/fixtures.ts'
import { type Answer, adminToken, type Node } from './harness/node.ts'
import { startTwoNodeService } from './harness/service.ts'
import { validBody } from './harness/valid-bodies.ts'
import { putRules } from './rules-support.ts'

export const onceTable = Object.entries<Operation>(operations)
  .filter(([, { isOnce }]) => isOnce)
  .map(([name, operation]) => ({ name, operation }))

/** Something else that the same call could say; only of calls that say anything. */
const otherwise: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createCompany: { name: 'Another' },
  creditCompany: { amount: '7' },
  createApp: { name: 'Another' },
  createKey: { name: 'Another' },
  createProvider: { name: 'Another' },
  createWebhook: { url: 'http://127.0.0.1:9/another' },
  putWebhook: { url: 'http://127.0.0.1:9/another' },
  inviteMember: { role: 'owner' },
}

export interface OnceCall {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The same call with another body or query; null if it takes neither. */
  readonly other: Pick<OnceCall, 'path' | 'body'> | null
}

/** A company that has one of everything that such a call can be about. */
export type Ids = Readonly<Record<string, string>>

const alerts = { channels: [{ kind: 'webhook', to: 'http://127.0.0.1:9/alerts' }], rules: {} }

export async function startOnce() {
  // No worker: what is to be sent stays as the call has written it, and can be compared.
  const service = await startTwoNodeService({ role: 'api', kinds: new Map(Object.entries(providerKinds)) })
  const [node] = service.nodes

  const good = (answer: Answer): Answer => {
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer
  }

  async function idsOf(): Promise<Ids> {
    const { companyId, appId } = await createTenant(node)
    good(await node.manage('PUT', `/apps/${appId}/webhook`, { url: 'http://127.0.0.1:9/' }))
    const event = good(await node.manage('POST', `/apps/${appId}/webhook/test`)).body
    const { webhooks } = good(await node.manage('GET', `/apps/${appId}/webhooks`)).body
    // A removal that is made twice would remove another.
    for (const place of ['second', 'third', 'fourth', 'fifth'])
      good(await node.manage('POST', `/apps/${appId}/webhooks`, { url: `http://127.0.0.1:9/${place}` }))
    for (const name of ['one', 'two']) await putRules(node, appId, [{ name }])
    good(await node.manage('PUT', `/companies/${companyId}/alerts`, alerts))
    good(await node.manage('PUT', '/alerts', alerts))
    return {
      company_id: companyId,
      app_id: appId,
      endpoint_id: webhooks[0].endpoint_id,
      event_id: event.event_id,
      revision: '1',
    }
  }

  function callOf(name: string, operation: Operation, ids: Ids): OnceCall {
    const path = operation.path
      .replace('/manage/v1', '')
      .replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? assert.fail(parameter))
    const owner = operation.company === 'body' ? { company_id: ids.company_id } : {}
    const valid = validBody(name, operation)
    // A second invitation of one address replaces the first.
    const guest = name === 'inviteMember' ? { email: freshEmail() } : {}
    const body = valid && { ...valid, ...owner, ...guest }
    if (body)
      return { method: operation.method, path, body, other: { path, body: { ...body, ...otherwise[name] } } }
    const query = `${path}?endpoint_id=${ids.endpoint_id}`
    return { method: operation.method, path, body, other: operation.query ? { path: query, body } : null }
  }

  return { ...service, node, idsOf, callOf }
}

export const withKey = (on: Node, { method, path, body }: Omit<OnceCall, 'other'>, key: string) =>
  on.call(method, `/manage/v1${path}`, {
    key: adminToken,
    headers: { 'idempotency-key': key },
    ...(body === undefined ? {} : { body }),
  })

let keys = 0
export const freshKey = () => `once-${++keys}`

/** What nodes write by themselves, even without a worker. */
const movesByItself = /^(alert_states|alert_notices|provider_states|provider_minutes)$/
/** What says who asked, and what they were answered. */
const saysWhoAsked = /^(audit_\w+|change_replays)$/
const madeTables = tenantTables.filter((name) => !movesByItself.test(name) && !saysWhoAsked.test(name))

export type Rows = ReadonlySet<string>

async function rowsOf(database: TestDatabase, tables: readonly string[]): Promise<Rows> {
  const rows = tables.map(
    (name) =>
      `select '${name} ' || (to_jsonb(t) - array['next_at', 'last_used_at'])::text as row from "${name}" t`,
  )
  const found = await database.query<{ row: string }>(rows.join(' union all '))
  return new Set(found.map(({ row }) => row))
}

/** What was made, without what says who asked for it. */
export const madeRows = (database: TestDatabase) => rowsOf(database, madeTables)

/** Rows that are only in the second, or only in the first. */
export const changed = (from: Rows, to: Rows): string[] => [
  ...[...to].filter((row) => !from.has(row)),
  ...[...from].filter((row) => !to.has(row)),
]

/** By how many rows each table has grown, of those that have. */
export function grown(from: Rows, to: Rows): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (rows: Rows, by: number) => {
    for (const row of rows) {
      const table = row.slice(0, row.indexOf(' '))
      counts[table] = (counts[table] ?? 0) + by
    }
  }
  count(to, 1)
  count(from, -1)
  return Object.fromEntries(Object.entries(counts).filter(([, more]) => more !== 0))
}
