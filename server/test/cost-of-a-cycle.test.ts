/** What a verification asks of PostgreSQL, counted and not timed, so that a slow machine counts the same. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { layCountingCable } from './harness/counting-cable.ts'
import { createTestDatabase } from './harness/database.ts'
import { freshPhone, message, send, type Tenant, until, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { tablesThatMoveByThemselves } from './harness/records.ts'
import { startReceiver } from './webhooks/receiver.ts'
import { subscribe } from './webhooks/support.ts'

const batch = 20
const rounds = { few: 1, many: 7 }
/** The actual costs, with room for smaller batches on a busy machine, which cost more rows only in shared tables. */
const most = { roundTrips: 0.9, statements: 1.7, ownRows: 10.5, sharedRows: 3 }
const tablesOfOwnRows = ['decisions', 'deliveries', 'events', 'ledger', 'verifications']
const idleMs = 2_000
const arrivalMs = 60_000

type Counts = Record<keyof typeof most, number>

const database = await createTestDatabase()
after(database.close)
const receiver = await startReceiver()
after(receiver.close)

it(`verifications, ${batch} at once, cost few round trips, statements and rows`, async (context) => {
  const [few, many] = [await countRounds(rounds.few), await countRounds(rounds.many)]
  const cycles = (rounds.many - rounds.few) * batch
  for (const name of ['roundTrips', 'statements', 'ownRows', 'sharedRows'] as const) {
    const each = (many[name] - few[name]) / cycles
    context.diagnostic(`${name} of a cycle: ${each.toFixed(2)}`)
    assert.ok(each <= most[name], `${name}: ${each.toFixed(2)} of a cycle, at most ${most[name]}`)
  }
})

/** The counts of a node that starts, does this many rounds and stops. The cost of starting is in all of them. */
async function countRounds(count: number): Promise<Counts> {
  const rowsBefore = await readRows()
  const cable = await layCountingCable(database.url)
  const node = await startNode(cable.url)
  const tenant = await subscribe(node, receiver.url)
  const startMs = performance.now()
  for (let round = 0; round < count; round++) await runRound(node, tenant)
  const seconds = (performance.now() - startMs) / 1_000
  const busy = cable.counts()
  // What background loops ask while nothing happens is not part of a cycle.
  await pause(idleMs)
  const idle = cable.counts()
  await node.close()
  await cable.close()
  const ownPart = (name: 'roundTrips' | 'statements') =>
    busy[name] - ((idle[name] - busy[name]) / (idleMs / 1_000)) * seconds
  return {
    roundTrips: ownPart('roundTrips'),
    statements: ownPart('statements'),
    ...differ(await readRows(), rowsBefore),
  }
}

async function runRound(node: Node, { serverKey }: Tenant): Promise<void> {
  const eventsBefore = receiver.calls.length
  const sent = await Promise.all(
    Array.from({ length: batch }, async () => {
      const recipient = freshPhone()
      const { status, body } = await send(node, serverKey, { recipient })
      assert.equal(status, 200)
      return { recipient, otpId: String(body.otp_id) }
    }),
  )
  const codes = await Promise.all(sent.map(async ({ recipient }) => (await message(node, recipient)).code))
  const verdicts = await Promise.all(
    sent.map(({ otpId }, index) => verify(node, serverKey, otpId, codes[index])),
  )
  for (const { body } of verdicts) assert.equal(body.matched, true)
  await until('all events', () => receiver.calls.length === eventsBefore + batch, arrivalMs)
}

type Rows = Pick<Counts, 'ownRows' | 'sharedRows'>

/**
 * Counted table by table, because the figure of the whole database includes what a vacuum writes into the catalogue.
 * Connections report their statistics at the latest when they end.
 */
async function readRows(): Promise<Rows> {
  const others = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'countersign'`
  await until('no connection is left', async () => (await database.query(others)).length === 0, arrivalMs)
  const [row] = await database.query<{ own: string; all: string }>(
    `select coalesce(sum(rows) filter (where name = any($1)), 0) as own, sum(rows) as all
       from (select coalesce(pg_partition_root(relid), relid)::regclass::text as name,
                    n_tup_ins + n_tup_upd + n_tup_del as rows
               from pg_stat_user_tables) tables
      where name <> all($2)`,
    [tablesOfOwnRows, tablesThatMoveByThemselves],
  )
  const [ownRows, all] = [Number(row?.own), Number(row?.all)]
  return { ownRows, sharedRows: all - ownRows }
}

const differ = (after: Rows, before: Rows): Rows => ({
  ownRows: after.ownRows - before.ownRows,
  sharedRows: after.sharedRows - before.sharedRows,
})
