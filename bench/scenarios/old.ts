/** Verifies and cycles beside ten million verifications, and beside ten thousand, while retention drops days. */
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { openDatabase } from '../../server/src/platform/database.ts'
import { dropAllOldPartitions } from '../../server/src/platform/drop-partitions.ts'
import { type App, connectCarrier, cycling, type Sent, sending, verifying } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import {
  type Bench,
  furnish,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  saturate,
  until,
} from '../scenario.ts'
import { makeOldDays } from './old-days.ts'

const few = { id: 'few', count: 10_000, words: 'ten thousand' }
const many = { id: 'many', count: 10_000_000, words: 'ten million' }
/** For a quick run in which this scenario was asked for by name. */
const some = { id: 'many', count: 100_000, words: 'a hundred thousand' }
/** Two more days than are kept, so that retention has something to drop. */
const days = 32
const retentionDays = 30
const handOverMs = 60_000
/** Room for four tables with their indexes, and for the write-ahead log that filling them makes. */
const neededBytes = 45e9

export const old: Scenario = {
  name: 'old verifications',
  isLong: true,
  run: async (bench) => {
    await assertRoom(bench)
    return [...(await measure(bench, few)), ...(await measure(bench, bench.isQuick ? some : many))]
  },
}

async function assertRoom({ isQuick }: Bench): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const free = bavail * bsize
  if (!isQuick && free < neededBytes)
    throw new Error(
      `it needs ${neededBytes / 1e9} GB in ${tmpdir()}, and there are ${Math.round(free / 1e9)}`,
    )
}

async function measure(bench: Bench, amount: typeof few): Promise<Row[]> {
  const databaseUrl = await bench.stage.makeDatabase()
  const service = await bench.stage.startService(databaseUrl)
  try {
    await connectCarrier(service, bench.side)
    const running = await furnish(bench.stage, bench.side, service)
    const app = await running.openApp('auto', { hasEndpoint: true })
    await closedLoop(service.port, cycling([app], bench.side), { seconds: 1 })
    const tables = await makeOldDays(databaseUrl, { count: amount.count, days, say: bench.say })
    const database = openDatabase(databaseUrl, 1, () => {})
    const dropping = dropAllOldPartitions(database, retentionDays).finally(database.close)
    const rows = await measureBoth(bench, running, app, amount)
    const { dropped } = await dropping
    const note = `${tables} of ${days} days; ${dropped.length} partitions dropped meanwhile`
    return rows.map((row) => ({ ...row, note }))
  } finally {
    await service.kill()
    bench.side.forget()
    await bench.stage.dropDatabase(databaseUrl)
  }
}

async function measureBoth(
  bench: Bench,
  running: Running,
  app: App,
  { id, words }: typeof few,
): Promise<Row[]> {
  const { side, seconds } = bench
  const { service, costing } = running
  const beside = (name: string) => (id === few.id ? {} : { beside: `${name}-${few.id}` })
  const cycles = await saturate(bench, running, cycling([app], side))
  const sent: Sent[] = []
  const takenBefore = side.taken()
  await closedLoop(service.port, sending([app], sent), { seconds })
  await until(() => side.taken() - takenBefore >= sent.length, handOverMs)
  const verifies = await costing(() =>
    closedLoop(service.port, verifying(sent, side), { seconds: handOverMs / 1_000, most: sent.length }),
  )
  return [
    rateRow(`old-cycle-${id}`, `cycle beside ${words} old verifications`, cycles.result, {
      costs: cycles.costs,
      ...beside('old-cycle'),
    }),
    rateRow(`old-verify-${id}`, `verify beside ${words} old verifications`, verifies.result, {
      costs: verifies.costs,
      ...beside('old-verify'),
    }),
  ]
}
