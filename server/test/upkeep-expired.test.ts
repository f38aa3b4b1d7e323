/** Rows that are kept for a while are deleted after it, even by two nodes at once. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { deleteExpired } from '../src/platform/kept.ts'
import { createTestDatabase } from './harness/database.ts'
import { until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { openTwoPools } from './upkeep-support.ts'

const { database, first, second, close } = await openTwoPools()
after(close)

describe('short-lived rows', () => {
  const rowsAtOnce = 5_000
  /** An insert for each table; `n` numbers the rows. */
  const inserts = {
    idempotency_keys: `insert into idempotency_keys (company_id, key_hash, recipient_hash, answer, expires_at)
                       select $1, int4send(n), '', 'x', $3::timestamptz from generate_series(1, $2::int) n`,
    limits: `insert into limits (company_id, limit_key, state, expires_at)
             select $1, int4send(n), '{}', $3::timestamptz from generate_series(1, $2::int) n`,
    tokens: `insert into tokens (company_id, app_id, token_hash, otp_id, expires_at)
             select $1, 'app_x', int4send(n), 'otp_x', $3::timestamptz from generate_series(1, $2::int) n`,
    links: `insert into links (company_id, owner_id, number, reference_hash, app_id, otp_id, code_version, expires_at)
            select $1, $1, '1', int4send(n), 'app_x', 'otp_x', 1, $3::timestamptz from generate_series(1, $2::int) n`,
    unreachable: `insert into unreachable (company_id, app_id, recipient_hash, channel, expires_at)
                  select $1, 'app_x', int4send(n), 'sms', $3::timestamptz from generate_series(1, $2::int) n`,
    spend_counters: `insert into spend_counters (company_id, app_id, name, since, spent_micros, approved_micros, best_micros, best_spent_micros, expires_at)
                     select $1, 'app_x', 'day:' || n, now(), 0, 0, 0, 0, $3::timestamptz from generate_series(1, $2::int) n`,
    spend_notes: `insert into spend_notes (company_id, app_id, otp_id, delivery_id, sent_at, spent_micros, approved_micros, expires_at)
                  select $1, 'app_x', 'otp_' || n, '', now(), 0, 0, $3::timestamptz from generate_series(1, $2::int) n`,
    guess_counts: `insert into guess_counts (company_id, app_id, since, guesses, failures, expires_at)
                   select $1, 'app_' || n, now(), 1, 1, $3::timestamptz from generate_series(1, $2::int) n`,
    guess_alarms: `insert into guess_alarms (company_id, app_id, raised_at, expires_at)
                   select $1, 'app_' || n, now(), $3::timestamptz from generate_series(1, $2::int) n`,
  } as const
  type Table = keyof typeof inserts
  const insert = (table: Table, owner: string, count: number, expiresAt: Date) =>
    database.query(inserts[table], [owner, count, expiresAt])
  const countOf = async (table: Table) =>
    Number((await database.query<{ count: string }>(`select count(*) from ${table}`))[0]?.count)
  const past = () => new Date(Date.now() - 60_000)
  const future = () => new Date(Date.now() + 3_600_000)

  for (const table of Object.keys(inserts) as Table[]) {
    it(`of ${table} are deleted in rounds, and only those that have expired`, async () => {
      await database.query(`delete from ${table}`)
      await insert(table, 'over', rowsAtOnce + 10, past())
      await insert(table, 'live', 20, future())
      assert.equal(await deleteExpired(first, table), rowsAtOnce)
      assert.equal(await deleteExpired(first, table), 10)
      assert.equal(await deleteExpired(first, table), 0)
      assert.equal(await countOf(table), 20)
    })
  }

  it('are deleted once each by two nodes at once', async () => {
    await database.query('delete from limits')
    await insert('limits', 'over', 2 * rowsAtOnce, past())
    const counts = await Promise.all([deleteExpired(first, 'limits'), deleteExpired(second, 'limits')])
    assert.equal(counts[0] + counts[1], 2 * rowsAtOnce - (await countOf('limits')))
    while ((await deleteExpired(first, 'limits')) > 0);
    assert.equal(await countOf('limits'), 0)
  })

  it('that somebody holds are left for later, not waited for', async () => {
    await database.query('delete from tokens')
    await insert('tokens', 'over', 3, past())
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`select 1 from tokens where token_hash = int4send(1) for update`)
      assert.equal(await deleteExpired(first, 'tokens'), 2)
      await client.query('rollback')
    } finally {
      await client.end()
    }
    assert.equal(await deleteExpired(first, 'tokens'), 1)
  })

  it('are deleted by a running node, however many there are', async () => {
    const own = await createTestDatabase()
    let node: Node | undefined
    try {
      await own.query(inserts.tokens, ['over', 2 * rowsAtOnce + 1, past()])
      await own.query(inserts.tokens, ['live', 7, future()])
      node = await startNode(own.url)
      await until(
        'all that is over to be deleted',
        async () => (await own.query('select 1 from tokens')).length === 7,
      )
    } finally {
      await node?.close()
      await own.close()
    }
  })
})
