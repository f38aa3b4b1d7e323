/**
 * How long the dashboard's pages wait for what they read, beside 100,000 verifications and 100,000 refusals of one app.
 *
 *   npm run bench:pages                    each call six times, the first of them cold; a few minutes
 *   npm run bench:pages -- --count 10000   fewer of each
 *   npm run bench:pages -- --write-docs    also into docs/performance.md
 *
 * It exits with 1 where a call takes 200 ms or more in the median.
 */
import { cpus } from 'node:os'
import { readOptions } from '../../server/test/harness/options.ts'
import { openOtherSide } from '../measuring/other-side.ts'
import { openStage } from '../measuring/stage.ts'
import { replaceInDocs } from '../report/docs.ts'
import { type Read, readsOf } from './calls.ts'
import { openOffice } from './office.ts'
import { seed, untilGathered } from './seed.ts'

const mostMs = 200
const rounds = 5
const hourMs = 3_600_000
const dayMs = 24 * hourMs

interface Timed extends Read {
  readonly medianMs: number
  readonly worstMs: number
}

const { count, 'write-docs': writesDocs } = readOptions({ count: 100_000, 'write-docs': false })
const say = (line: string) => console.error(`· ${line}`)
const stop = new AbortController()
const stage = await openStage(stop.signal)
const side = await openOtherSide()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    await stage.close().catch(() => {})
    process.exit(1)
  })
}

try {
  const databaseUrl = await stage.makeDatabase()
  const office = await openOffice(stage, side, databaseUrl)
  await seed(databaseUrl, { count, app: office, say })
  await untilGathered(databaseUrl)
  const [from, before] = [7, 14].map((days) => new Date(Date.now() - days * dayMs).toISOString())
  const things = { ...office.ids, from: from ?? '', before: before ?? '' }
  const timed: Timed[] = []
  for (const read of readsOf(things)) timed.push(await time(office.call, read))
  await report(timed)
  process.exitCode = timed.some(({ medianMs }) => medianMs >= mostMs) ? 1 : 0
} finally {
  side.close()
  await stage.close()
}

/** The first call may have to read from disk and to plan the query, so the median is of the other calls. */
async function time(call: (read: Read) => Promise<void>, read: Read): Promise<Timed> {
  const all: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now()
    await call(read)
    all.push(performance.now() - startMs)
  }
  const warm = all.slice(1).sort((one, other) => one - other)
  return { ...read, medianMs: warm[Math.floor(rounds / 2)] ?? 0, worstMs: Math.max(...all) }
}

async function report(timed: readonly Timed[]): Promise<void> {
  const rows = timed.map(({ page, name, filter, medianMs, worstMs }, index) => [
    page === timed[index - 1]?.page ? '' : page,
    filter ? `${name} (${filter})` : name,
    medianMs.toFixed(0),
    worstMs.toFixed(0),
  ])
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const [page = '', name = '', median = '', worst = ''] of rows)
    console.log(
      `${page.padEnd(widths[0] ?? 0)}  ${name.padEnd(widths[1] ?? 0)}  ${median.padStart(5)}  ${worst.padStart(5)}`,
    )
  if (!writesDocs) return
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
  const table = rows.map((row) => `| ${row.join(' | ')} |`)
  await replaceInDocs(
    'pages',
    `${count.toLocaleString('en-US')} of each; ${machine}; ${new Date().toISOString().slice(0, 10)}.\n\n| page | call | median, ms | worst, ms |\n|---|---|--:|--:|\n${table.join('\n')}`,
  )
}
