/** How fast this PostgreSQL inserts rows when it does nothing else: in batches, as our own sends are written. */
import pg from 'pg'
import { costing } from '../measuring/cpu.ts'
import { query } from '../measuring/stage.ts'
import { rateRow, type Scenario } from '../scenario.ts'

const rowsPerCommit = 50
const connections = 4
const warmUpMs = 300

const insert = {
  name: 'insert',
  text: `insert into bare (id, hash, body, created_at)
         select gen_random_uuid(), sha256(n::text::bytea), repeat('x', 300), clock_timestamp()
           from generate_series(1, ${rowsPerCommit}) n`,
}

async function insertFor(pool: pg.Pool, ms: number): Promise<{ count: number; perSecond: number }> {
  const startMs = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - startMs < ms) {
        await pool.query(insert)
        count += rowsPerCommit
      }
    }),
  )
  return { count, perSecond: (count * 1_000) / (performance.now() - startMs) }
}

export const inserts: Scenario = {
  name: 'bare inserts',
  run: async ({ stage, seconds }) => {
    const url = await stage.makeDatabase({ isEmpty: true })
    await query(
      url,
      'create table bare (id uuid primary key, hash bytea not null, body text not null, created_at timestamptz not null)',
    )
    const pool = new pg.Pool({ connectionString: url, max: connections })
    try {
      await insertFor(pool, warmUpMs)
      const { result, costs } = await costing({ service: null, database: stage.postmaster }, () =>
        insertFor(pool, seconds * 1_000),
      )
      const what = `rows inserted, ${rowsPerCommit} a commit, ${connections} connections, nothing else`
      return [rateRow('inserts', what, result, { costs })]
    } finally {
      await pool.end()
      await stage.dropDatabase(url)
    }
  },
}
