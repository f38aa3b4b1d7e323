/** Records every statement of the service while it works, and finds out what PostgreSQL touches to run one. */
import pg from 'pg'
import { gatherSlice } from '../src/domain/insight/figures/gather-store.ts'
import { readProgress } from '../src/domain/insight/figures/store.ts'
import { type IdKind, lowestId } from '../src/platform/ids.ts'
import { cutByDay } from '../src/platform/partitions.ts'
import { Capture } from './harness/capture.ts'
import type { TestDatabase } from './harness/database.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const dayMs = 86_400_000
const idKinds: Readonly<Record<string, IdKind>> = cutByDay

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

export interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

/** Longest first, so that a table's name is not mistaken for the start of another. */
const partitionOf = /^(event_attempts|verifications|deliveries|events|decisions)_\d{8}$/

export async function touchedBy(
  database: TestDatabase,
  statement: Statement,
): Promise<{ byTable: Map<string, Set<string>>; scanned: string[]; searchedBy: string[] }> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('begin')
    // As PostgreSQL runs a prepared statement with a generic plan, which ignores the values.
    await client.query('set local plan_cache_mode = force_generic_plan')
    await client.query('set local enable_seqscan = off')
    await client.query(`prepare one as ${statement.text}`)
    const list = (statement.values ?? []).map((value) => literal(client, value)).join(', ')
    const found = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) execute one${list ? `(${list})` : ''}`,
    )
    const byTable = new Map<string, Set<string>>()
    const scanned: string[] = []
    const searchedBy: string[] = []
    walk(found.rows[0]?.['QUERY PLAN'][0].Plan)
    return { byTable, scanned, searchedBy }

    function walk(node: PlanNode | undefined): void {
      if (!node) return
      const relation = node['Relation Name']
      if (node['Index Cond']) searchedBy.push(node['Index Cond'])
      const table = relation && partitionOf.exec(relation)?.[1]
      if (table && node['Actual Loops'] > 0 && node['Node Type'] !== 'ModifyTable') {
        byTable.set(table, (byTable.get(table) ?? new Set()).add(relation))
        if (node['Node Type'] === 'Seq Scan') scanned.push(relation)
      }
      for (const child of node.Plans ?? []) walk(child)
    }
  } finally {
    await client.query('rollback').catch(() => {})
    await client.end()
  }
}

/** Does everything that touches a verification, through the API and the workers. */
async function live(database: TestDatabase): Promise<void> {
  const capture = new Capture()
  const node = await startNode(database.url, {
    capture,
  })
  try {
    const tenant = await createTenant(node)
    const { publishableKey, serverKey } = tenant
    const { otpId, code, recipient } = await started(node, publishableKey)
    await resend(node, publishableKey, otpId)
    await message(node, recipient, 1)
    const { body } = await verify(node, publishableKey, otpId, code)
    await verify(node, publishableKey, otpId, code)
    await node.call('POST', '/api/v1/verifications/exchange', {
      key: serverKey,
      body: { verification_token: body.verification_token },
    })
    await status(node, serverKey, otpId)
    await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: serverKey })
    await node.manage('GET', `/verifications/${otpId}`)
    await node.manage('GET', `/apps/${tenant.appId}/verifications`)
    await node.manage('POST', `/apps/${tenant.appId}/verifications/search`, { recipient, status: 'failed' })
    await node.manage('GET', `/apps/${tenant.appId}/stats`)
    await node.manage('GET', `/apps/${tenant.appId}/attention`)
    const { gatheredToMs } = await readProgress(node.app.database)
    await gatherSlice(node.app.database, gatheredToMs, gatheredToMs + 600_000)

    const [failing, busy] = [freshPhone(), freshPhone()]
    node.capture.answerWith((outgoing) => {
      if (outgoing.recipient === failing) return { kind: 'refused', error: { code: 'no', message: 'No.' } }
      if (outgoing.recipient === busy)
        return { kind: 'retry', error: { code: 'busy', message: 'Busy.' }, afterSeconds: null }
      return { kind: 'accepted', messageId: 'm' }
    })
    const failed = await send(node, serverKey, { recipient: failing })
    const postponed = await send(node, serverKey, { recipient: busy })
    const deliveryOf = async (id: string) => (await status(node, serverKey, id)).body.deliveries[0]
    await until('a failure', async () => (await deliveryOf(failed.body.otp_id)).status === 'failed')
    await until('a postponement', async () => (await deliveryOf(postponed.body.otp_id)).error !== null)
    node.capture.answerWith(null)

    const receipted = await started(node, serverKey)
    const delivery = await until('the delivery to be sent', async () => {
      const found = await deliveryOf(receipted.otpId)
      return found.status === 'sent' && found
    })
    capture.receipt('capture-sms', {
      deliveryId: delivery.delivery_id,
      messageId: null,
      status: 'delivered',
      unreachable: false,
      error: null,
    })
    await until('the receipt', async () => (await deliveryOf(receipted.otpId)).status === 'delivered')

    await node.manage('PATCH', `/apps/${tenant.appId}`, { routing: { default: ['telegram'] } })
    const reported = await started(node, serverKey)
    await verify(node, serverKey, reported.otpId, reported.code)

    await node.manage('PATCH', `/apps/${tenant.appId}`, {
      routing: { default: ['whatsapp'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
    })
    const person = freshPhone()
    const link = await send(node, serverKey, { recipient: person })
    const text = new URL(link.body.action_url).searchParams.get('text')
    const inbound = { from: person, text, messageId: 'in-1' }
    await node.call('POST', '/hooks/capture-whatsapp', { body: inbound })
    await until(
      'the approval',
      async () => (await status(node, serverKey, link.body.otp_id)).body.status === 'approved',
    )
  } finally {
    await node.close()
  }
}

export const recordLife = (database: TestDatabase) => record(() => live(database))

/** Records every statement that is sent meanwhile, each text once, with its values. */
async function record(run: () => Promise<void>): Promise<Statement[]> {
  const seen = new Map<string, Statement>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args
    if (typeof statement === 'object' && statement !== null && 'text' in statement) {
      const { text } = statement as Statement
      seen.set(text, { ...(statement as Statement) })
    }
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await run()
  } finally {
    pg.Client.prototype.query = query
  }
  return [...seen.values()]
}

export async function makeMonth(database: TestDatabase): Promise<void> {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const present = await database.query<{ name: string }>(
    `select relname::text as name from pg_class where relkind = 'p'`,
  )
  for (const { name: table } of present) {
    const idKind = idKinds[table]
    if (!idKind) continue
    for (let day = -29; day < -1; day++) {
      const start = today + day * dayMs
      const suffix = new Date(start).toISOString().slice(0, 10).replaceAll('-', '')
      await database.query(
        `create table if not exists ${table}_${suffix} partition of ${table}
           for values from ('${lowestId(idKind, start)}') to ('${lowestId(idKind, start + dayMs)}')`,
      )
    }
  }
}

/** `execute` takes no parameters, so values become literals. */
function literal(client: pg.Client, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (value instanceof Date) return client.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) {
    const parts = value.map((entry) =>
      Buffer.isBuffer(entry) ? `"\\\\x${entry.toString('hex')}"` : JSON.stringify(entry),
    )
    return client.escapeLiteral(`{${parts.join(',')}}`)
  }
  return client.escapeLiteral(String(value))
}
