/** What the schema promises, asked of PostgreSQL's own catalogue and of its planner. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { gatherSlice, readProgress } from '../src/domain/insight/figures-store.ts'
import { type IdKind, lowestId } from '../src/platform/ids.ts'
import { cutByDay } from '../src/platform/partitions.ts'
import { tenantTables } from '../src/platform/tenant.ts'
import { kept } from '../src/worker/upkeep.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
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
/** Rows go away by their own `expires_at`. */
const shortLived = kept.filter(({ goes }) => goes !== 'by day').map(({ table }) => table)
/** Tables that do not grow with traffic, or not for ever, and why. */
const settled: Readonly<Record<string, string>> = {
  companies: 'as many as the operator opens',
  apps: 'as many as companies make',
  rule_revisions: 'the last hundred of an app',
  keys: 'a few to an app',
  providers: 'a few to a company',
  webhook_endpoints: 'one to an app',
  people: 'as many as are invited',
  members: 'a few to a company',
  passkeys: 'a few to a person',
  audit_chains: 'one to a company',
  ledger: 'old entries are carried forward into one',
  prices: 'one row',
  changes: 'one row',
  figures_progress: 'one row',
  partition_upkeep: 'one row',
  data_keys: 'one row a rotation',
  migrations: 'one row a migration',
}
/** Tables whose rows are no company's, and why. */
const operatorKeys: Readonly<Record<string, string>> = {
  prices: 'one price book, the operator’s',
  changes: 'one revision for all',
  figures_progress: 'one mark for all',
  partition_upkeep: 'one look for all',
  workers: 'a worker serves all',
  data_keys: 'keys of the installation',
  migrations: 'the schema’s own history',
  people: 'a person may be a member of several companies',
  sessions: 'a person’s, and found by what the cookie says',
  sign_in_links: 'found by what the link says',
  passkeys: 'a person’s, and found by what the browser says',
  passkey_challenges: 'found by what the browser signs',
}

/** Indexes of tenants' tables that do not begin with the company, and why. */
const foundOtherwise: Readonly<Record<string, string>> = {
  companies_by_name: 'the list of companies',
  apps_by_id: 'a key and a path name an app alone',
  keys_by_id: 'a path names a key alone',
  providers_by_id: 'a path names an account alone',
  events_by_id: 'a path names an event alone',
  verifications_by_id: 'a path names a verification alone, and figures are gathered over all',
  deliveries_by_id: 'a receipt names a delivery alone',
  deliveries_held: 'a worker holds what it has in hand of all',
  deliveries_by_message: 'an account of the operator’s carries for all',
  early_receipts_unswept: 'few are ever left, and each is looked at once more',
  links_pkey: 'a message names the number that it came to',
  members_of_person: 'a person may be a member of several companies',
  invitations_of_person: 'a person may be invited by several companies',
  audit_entries_by_id: 'the operator reads the trail of all',
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

describe('the schema', { timeout: 120_000 }, () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await (await startNode(database.url)).close()
  })

  after(() => database?.close())

  const tables = () =>
    database.query<{ name: string; kind: string }>(
      `select relname::text as name, relkind::text as kind from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    )

  it('says of every table how its rows go away', async () => {
    const known = new Set([...Object.keys(cutByDay), ...shortLived, ...Object.keys(settled)])
    const unknown = (await tables()).map(({ name }) => name).filter((name) => !known.has(name))
    assert.deepEqual(unknown, [], 'tables that no list of this file names')
  })

  it('cuts every table that grows by day', async () => {
    const kinds = new Map((await tables()).map(({ name, kind }) => [name, kind]))
    for (const name of Object.keys(cutByDay)) {
      if (kinds.has(name)) assert.equal(kinds.get(name), 'p', name)
    }
    for (const [name, kind] of kinds) {
      if (kind === 'p') assert.ok(name in cutByDay, name)
    }
  })

  it('gives every partitioned table the same days', async () => {
    const rows = await database.query<{ parent: string; days: string[] }>(
      `select parent.relname::text as parent, array_agg(right(child.relname, 8)::text order by child.relname) as days
         from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
        where parent.relkind = 'p' group by 1`,
    )
    assert.ok(rows.length >= 4)
    for (const { days } of rows) assert.deepEqual(days, rows[0]?.days)
  })

  it('has no partition that would take what belongs nowhere', async () => {
    const defaults = await database.query(`select 1 from pg_partitioned_table where partdefid <> 0`)
    assert.equal(defaults.length, 0)
  })

  it('finds what is expired by an index, in every short-lived table', async () => {
    for (const table of shortLived) {
      const found = await database.query(
        `select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indrelid = $1::regclass and a.attname = 'expires_at'`,
        [table],
      )
      assert.equal(found.length, 1, table)
    }
  })

  it('begins every key and every index of tenants’ rows with the company, but for those that say why not', async () => {
    const indexes = await database.query<{ table: string; index: string; first: string | null }>(
      `select t.relname::text as table, c.relname::text as index, a.attname::text as first
         from pg_index i
         join pg_class c on c.oid = i.indexrelid
         join pg_class t on t.oid = i.indrelid
         left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where t.relnamespace = 'public'::regnamespace and not t.relispartition`,
    )
    assert.ok(indexes.length > 30)
    const otherwise = indexes.filter(
      ({ table, first }) => !(table in operatorKeys) && first !== 'company_id' && first !== 'expires_at',
    )
    assert.deepEqual(otherwise.map(({ index }) => index).sort(), Object.keys(foundOtherwise).sort())
  })

  it('has a company in every row of every table that is not the operator’s', async () => {
    const without = await database.query<{ table: string }>(
      `select relname::text as table from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not exists (select 1 from pg_attribute
                           where attrelid = c.oid and attname = 'company_id' and attnotnull) order by 1`,
    )
    assert.deepEqual(
      without.map(({ table }) => table),
      Object.keys(operatorKeys).sort(),
    )
    const tenants = (await tables()).map(({ name }) => name).filter((name) => !(name in operatorKeys))
    assert.deepEqual(tenants, [...tenantTables].sort())
  })

  it('gives every table a primary key', async () => {
    const without = await database.query<{ name: string }>(
      `select relname::text as name from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not exists (select 1 from pg_index where indrelid = c.oid and indisprimary)`,
    )
    assert.deepEqual(without, [])
  })

  it('sorts every id in a key byte by byte, as ids are made to be sorted', async () => {
    const wrong = await database.query<{ column: string }>(
      `select t.relname || '.' || a.attname as column
         from pg_index i
         join pg_class t on t.oid = i.indrelid
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::smallint[])
         left join pg_collation l on l.oid = a.attcollation
        where i.indisprimary and t.relnamespace = 'public'::regnamespace and not t.relispartition
          and a.attname like '%\\_id' and l.collname is distinct from 'C'`,
    )
    assert.deepEqual(wrong, [])
  })

  it('has foreign keys only where rows are few, so that no partition is held by one', async () => {
    const references = await database.query<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
    )
    for (const { from, to } of references) {
      assert.ok(from in settled, from)
      assert.ok(to in settled, to)
    }
  })

  it('has an index under every foreign key, so that no check reads a whole table', async () => {
    const bare = await database.query<{ name: string }>(
      `select conname::text as name from pg_constraint f
        where contype = 'f' and not exists (
          select 1 from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1])`,
    )
    assert.deepEqual(bare, [])
  })

  it('has no index that another one makes superfluous', async () => {
    const doubles = await database.query<{ index: string; by: string }>(
      `select a.indexrelid::regclass::text as index, b.indexrelid::regclass::text as by
         from pg_index a
         join pg_index b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
         join pg_class t on t.oid = a.indrelid
        where t.relnamespace = 'public'::regnamespace and not t.relispartition and not a.indisunique
          and a.indpred is null and b.indpred is null and a.indexprs is null and b.indexprs is null
          and (b.indkey::text || ' ') like (a.indkey::text || ' %')`,
    )
    assert.deepEqual(doubles, [])
  })
})

describe('with a month of partitions', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let statements: Statement[] = []

  before(async () => {
    database = await createTestDatabase()
    statements = await record(() => live(database))
    await makeMonth(database)
  })

  after(() => database?.close())

  /** Longest first, so that the name of a table is not taken for the beginning of another. */
  const partitionOf = /^(event_attempts|verifications|deliveries|events|decisions)_\d{8}$/

  async function touchedBy(
    statement: Statement,
  ): Promise<{ byTable: Map<string, Set<string>>; scanned: string[]; searchedBy: string[] }> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('begin')
      // As PostgreSQL runs a statement that it has prepared and kept: without looking at the values.
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

  const isExplainable = (text: string) =>
    /^\s*(select|update|delete|with)\b/.test(text) &&
    /\b(verifications|deliveries|events|decisions)\b/.test(text)
  /** What only inserts is led to its partition by the row itself, and would find its rows there already. */
  const inserts = (text: string) => /^\s*insert|insert into verifications|insert into deliveries/.test(text)
  const called = ({ name, text }: Statement) => name ?? text.trim().split('\n')[0]?.slice(0, 60) ?? ''

  /** Some names end in that of the partition. */
  function named(name: string): Statement {
    const found = statements.find((statement) => statement.name?.split(' ')[0] === name)
    assert.ok(found, `${name} was not seen`)
    return found
  }

  it('what a caller waits for touches one partition of each table it reads', async () => {
    const wanted = [
      'find-verification',
      'lock-verification',
      'update-verification',
      'judge-guesses',
      'take-token',
      'find-link',
      'approve-inbound',
    ]
    for (const name of wanted) {
      const { byTable, scanned } = await touchedBy(named(name))
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 1, `${name}: ${table} ${[...partitions]}`)
      assert.ok(byTable.size > 0, name)
      assert.deepEqual(scanned, [], name)
    }
  })

  it('what the worker finishes touches one partition of each table it writes', async () => {
    const lookUp = statements.find(({ text }) => text.includes('a receipt names the delivery alone'))
    assert.ok(lookUp)
    const finishing = ['mark-sent', 'postpone', 'mark-failed', 'deliver-by-receipt'].map(named)
    for (const statement of [...finishing, lookUp]) {
      const name = called(statement)
      const { byTable, scanned } = await touchedBy(statement)
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 1, `${name}: ${table} ${[...partitions]}`)
      assert.deepEqual(scanned, [], name)
    }
  })

  it('what is due is found by its time, not among all that waits', async () => {
    const due = statements.filter(({ text }) => /\band [a-z.]*next_attempt_at <=/.test(text))
    assert.ok(due.length >= 3, String(due.length))
    for (const statement of due) {
      const { searchedBy } = await touchedBy(statement)
      assert.ok(
        searchedBy.some((condition) => condition.includes('next_attempt_at <=')),
        called(statement),
      )
    }
  })

  it('what lists the parts of a verification touches the few days in which they can be', async () => {
    const lists = statements.filter(({ text }) =>
      /from (deliveries|decisions)\s+where company_id = \$1 and app_id = \$2 and otp_id = \$3/.test(text),
    )
    assert.equal(lists.length, 2)
    for (const statement of lists) {
      const { byTable, scanned } = await touchedBy(statement)
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 4, `${called(statement)}: ${table}`)
      assert.deepEqual(scanned, [])
    }
  })

  it('what people read of one verification touches one day of it', async () => {
    const statement = statements.find(({ text }) => text.includes('substr(otp_id, 5) = substr($1, 5)'))
    assert.ok(statement)
    const { byTable } = await touchedBy(statement)
    assert.equal(byTable.get('verifications')?.size, 1)
  })

  it('what follows an approval touches the few days in which its deliveries can be', async () => {
    const statement = statements.find(
      ({ text }) => /join deliveries d on/.test(text) && /order by d.delivery_id desc/.test(text),
    )
    assert.ok(statement)
    const { byTable } = await touchedBy(statement)
    assert.ok((byTable.get('deliveries')?.size ?? 0) <= 4, `${byTable.get('deliveries')?.size}`)
  })

  it('nothing at all reads a whole partition', async () => {
    let seen = 0
    for (const statement of statements) {
      if (!isExplainable(statement.text) || inserts(statement.text)) continue
      seen++
      const { scanned } = await touchedBy(statement)
      assert.deepEqual(scanned, [], called(statement))
    }
    assert.ok(seen >= 12, String(seen))
  })
})

/** One of everything that touches a verification, through the API and the workers. */
async function live(database: TestDatabase): Promise<void> {
  const capture = new Capture()
  const node = await startNode(database.url, {
    capture,
    builtIn: (onReceipt) => {
      capture.receipt = onReceipt
      return capture.providers()
    },
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

/** Every statement that goes to PostgreSQL meanwhile, each text once, with the values it came with. */
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

async function makeMonth(database: TestDatabase): Promise<void> {
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
