/**
 * How fast the service is on this machine, beside what it can be compared with here.
 *
 *   npm run bench                   everything, under twenty minutes
 *   npm run bench -- --quick        a look, under ninety seconds
 *   npm run bench -- --only cycle   some scenarios, by their names, separated by commas
 *   npm run bench -- --write-docs   also into docs/performance.md and its drawing
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { within } from '../server/src/platform/within.ts'
import { readOptions } from '../server/test/harness/options.ts'
import { openOtherSide } from './measuring/other-side.ts'
import { openStage } from './measuring/stage.ts'
import { betterAuth } from './references/better-auth.ts'
import { inserts } from './references/inserts.ts'
import { otpgateway } from './references/otpgateway.ts'
import { relay } from './references/relay.ts'
import { writeDocs } from './report/docs.ts'
import { type Failure, type Result, textTable } from './report/table.ts'
import type { Bench, Row, Scenario } from './scenario.ts'
import { apps } from './scenarios/apps.ts'
import { backlog } from './scenarios/backlog.ts'
import { counts } from './scenarios/counts.ts'
import { cycle } from './scenarios/cycle.ts'
import { latency } from './scenarios/latency.ts'
import { memory } from './scenarios/memory.ts'
import { noOp } from './scenarios/no-op.ts'
import { old } from './scenarios/old.ts'
import { processes } from './scenarios/processes.ts'
import { receipts } from './scenarios/receipts.ts'
import { recorded } from './scenarios/recorded.ts'
import { sends } from './scenarios/sends.ts'
import { shareService } from './shared-service.ts'

const scenarios: readonly Scenario[] = [
  noOp,
  inserts,
  relay,
  sends,
  cycle,
  otpgateway,
  betterAuth,
  counts,
  latency,
  receipts,
  backlog,
  apps,
  processes,
  memory,
  recorded,
  old,
]
const secondsEach = { quick: 1, full: 6 }
const warmUpEach = {
  quick: { roundOf: 700, mostRounds: 20, mostSeconds: 18 },
  full: { roundOf: 3_000, mostRounds: 20, mostSeconds: 60 },
}
/** No scenario starts with less time left than this. */
const leastMs = 5_000
const tidyMs = 15_000
const resultsFolder = fileURLToPath(new URL('../.cache/bench', import.meta.url))
const gigabyte = 1_073_741_824
/** Time limits: for the whole run, and for one scenario. */
const wholeMs = { quick: 88_000, full: 19.5 * 60_000 }
const scenarioMs = { quick: 40_000, full: 9 * 60_000, unhurried: 60 * 60_000 }

const {
  quick: isQuick,
  only,
  'write-docs': writesDocs,
} = readOptions({ quick: false, only: '', 'write-docs': false })
const size = isQuick ? 'quick' : 'full'
const say = (line: string) => console.error(`· ${line}`)

const wanted = chosen()
for (const { name, prepare } of wanted) {
  await prepare?.(say).catch((error: unknown) =>
    say(`${name}: ${error instanceof Error ? error.message : error}`),
  )
}
/** Scenarios that are asked for by name may take as long as they need. */
const isUnhurried = only !== ''
const endMs = isUnhurried ? Number.POSITIVE_INFINITY : performance.now() + wholeMs[size]
const stop = new AbortController()
const opening = openStage(stop.signal)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (stop.signal.aborted) return
    stop.abort()
    say('stopping')
    await opening.then((stage) => stage.close()).catch(() => {})
    process.exit(1)
  })
}
const stage = await opening.catch((error: unknown) => {
  if (!stop.signal.aborted) throw error
  // The signal handler above ends the process.
  return new Promise<never>(() => {})
})
const side = await openOtherSide()
const rows: Row[] = []
const failures: Failure[] = []
const parts = {
  isQuick,
  isUnhurried,
  seconds: secondsEach[size],
  warmUp: warmUpEach[size],
  stage,
  side,
  found: (id: string) => rows.find((row) => row.id === id),
  say,
}
const bench: Bench = { ...parts, shared: shareService(parts) }
for (const scenario of wanted) {
  const startMs = performance.now()
  say(scenario.name)
  try {
    rows.push(...(await limited(scenario)))
  } catch (error) {
    if (stop.signal.aborted) await new Promise(() => {})
    failures.push({ name: scenario.name, why: error instanceof Error ? error.message : String(error) })
  }
  say(`${scenario.name}: ${Math.round((performance.now() - startMs) / 1_000)} s`)
}
side.close()
await stage.close()
await report()
process.exit(failures.length > 0 ? 1 : 0)

function chosen(): readonly Scenario[] {
  const names = only === '' ? null : only.split(',').map((name) => name.trim())
  if (!names) return scenarios.filter(({ isLong = false }) => !isQuick || !isLong)
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) {
    const known = scenarios.map(({ name }) => name).join(', ')
    console.error(`There is no "${unknown.join('", "')}". There are: ${known}.`)
    process.exit(1)
  }
  return scenarios.filter(({ name }) => names.includes(name))
}

/** A scenario that takes too long is cut off: its service is ended, so that whatever it waits for fails. */
async function limited(scenario: Scenario): Promise<readonly Row[]> {
  const limitMs = Math.min(scenarioMs[isUnhurried ? 'unhurried' : size], endMs - performance.now())
  if (limitMs < leastMs) throw new Error('there was no time left')
  const run = scenario.run(bench)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, limitMs, 'late')
  })
  const result = await Promise.race([run, late]).finally(() => clearTimeout(timer))
  if (result !== 'late') return result
  stage.endServices()
  await within(
    tidyMs,
    run.then(null, () => {}),
  )
  throw new Error(`it was not done within ${Math.round(limitMs / 1_000)} s`)
}

async function report(): Promise<void> {
  const [processor] = cpus()
  const result: Result = {
    machine: `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / gigabyte)} GB, Node ${process.versions.node}, PostgreSQL 18 with fsync`,
    at: new Date().toISOString().slice(0, 16).replace('T', ' '),
    isQuick,
    rows,
    failures,
  }
  console.log(`\n${result.machine}\n\n${textTable(result)}`)
  await mkdir(resultsFolder, { recursive: true })
  const file = `${resultsFolder}/latest.json`
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  console.log(`\nAll of it as JSON: ${file}`)
  if (writesDocs) await writeDocs(result)
}
