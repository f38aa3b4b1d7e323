/** What one cycle asks of PostgreSQL, counted and not timed. Twenty callers run at once, so that batches form. */
import { layCountingCable } from '../../server/test/harness/counting-cable.ts'
import { connectCarrier, cycling } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import { query } from '../measuring/stage.ts'
import { furnish, type Row, type Scenario } from '../scenario.ts'

const callers = 20
const cycles = { quick: 400, full: 10_000 }
const limitSeconds = 120
/** PostgreSQL's connections report their statistics once a second at most. */
const figuresMs = 1_200

export const counts: Scenario = {
  name: 'counts',
  run: async (bench) => {
    const databaseUrl = await bench.stage.makeDatabase()
    const cable = await layCountingCable(databaseUrl)
    const service = await bench.stage.startService(cable.url)
    try {
      await connectCarrier(service, bench.side)
      const { openApp } = await furnish(bench.stage, bench.side, service)
      const call = cycling([await openApp('auto', { hasEndpoint: true })], bench.side)
      // First calls that are not counted, because each connection prepares its statements once.
      await closedLoop(service.port, call, { seconds: 1, callers })
      const before = { ...(await readFigures(databaseUrl)), ...cable.counts() }
      const most = bench.isQuick ? cycles.quick : cycles.full
      const { count } = await closedLoop(service.port, call, { seconds: limitSeconds, callers, most })
      const after = { ...(await readFigures(databaseUrl)), ...cable.counts() }
      const each = (name: keyof typeof before) => (after[name] - before[name]) / count
      return rowsOf(each)
    } finally {
      await service.kill()
      bench.side.forget()
      await cable.close()
      await bench.stage.dropDatabase(databaseUrl)
    }
  },
}

const rowsOf = (
  each: (name: 'roundTrips' | 'statements' | 'rows' | 'walBytes' | 'keptBytes') => number,
): Row[] => [
  { id: 'round-trips', what: 'round trips to PostgreSQL per cycle', value: each('roundTrips'), unit: '' },
  { id: 'statements', what: 'statements per cycle', value: each('statements'), unit: '' },
  { id: 'rows', what: 'rows written per cycle', value: each('rows'), unit: '' },
  { id: 'wal', what: 'write-ahead log per cycle', value: each('walBytes'), unit: 'B' },
  {
    id: 'kept',
    what: 'disk that a cycle takes until retention drops it',
    value: each('keptBytes'),
    unit: 'B',
  },
]

async function readFigures(url: string): Promise<{ rows: number; walBytes: number; keptBytes: number }> {
  await new Promise((resolve) => setTimeout(resolve, figuresMs))
  const [row] = await query<{ rows: string; wal: string; kept: string }>(
    url,
    `select tup_inserted + tup_updated + tup_deleted as rows, pg_current_wal_lsn() - '0/0' as wal,
            pg_database_size(datname) as kept
       from pg_stat_database where datname = current_database()`,
  )
  return { rows: Number(row?.rows), walBytes: Number(row?.wal), keptBytes: Number(row?.kept) }
}
