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
import { parseArgs } from 'node:util'
import { openOtherSide } from './measuring/other-side.ts'
import { openStage, type Stage } from './measuring/stage.ts'
import { betterAuth } from './references/better-auth.ts'
import { inserts } from './references/inserts.ts'
import { otpgateway } from './references/otpgateway.ts'
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
import { sends } from './scenarios/sends.ts'

const scenarios: readonly Scenario[] = [
  noOp,
  inserts,
  sends,
  cycle,
  otpgateway,
  betterAuth,
  receipts,
  latency,
  backlog,
  apps,
  processes,
  counts,
  memory,
  old,
]
const secondsEach = { quick: 1, full: 6 }
/** A scenario is not begun with less time left than this. */
const leastMs = 5_000
const resultsFolder = fileURLToPath(new URL('../.cache/bench', import.meta.url))
const gigabyte = 1_073_741_824
/** How long everything may take, and how long one scenario may. */
const wholeMs = { quick: 88_000, full: 19.5 * 60_000 }
const scenarioMs = { quick: 40_000, full: 9 * 60_000 }

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
  },
})
const isQuick = values.quick
const size = isQuick ? 'quick' : 'full'
/** Whoever names scenarios wants those, however long they take. */
const endMs = values.only ? Number.POSITIVE_INFINITY : performance.now() + wholeMs[size]
const say = (line: string) => console.error(`· ${line}`)

let stage: Stage | null = null
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isStopping) return
    isStopping = true
    say('stopping')
    void Promise.resolve(stage?.close()).finally(() => process.exit(1))
  })
}

const rows: Row[] = []
const failures: Failure[] = []
stage = await openStage()
const side = await openOtherSide()
const bench: Bench = {
  isQuick,
  seconds: secondsEach[size],
  stage,
  side,
  found: (id) => rows.find((row) => row.id === id),
  say,
}
for (const scenario of chosen()) {
  const startMs = performance.now()
  say(scenario.name)
  try {
    rows.push(...(await limited(scenario)))
  } catch (error) {
    if (isStopping) await new Promise(() => {})
    stage.endServices()
    failures.push({ name: scenario.name, why: error instanceof Error ? error.message : String(error) })
  }
  say(`${scenario.name}: ${Math.round((performance.now() - startMs) / 1_000)} s`)
}
side.close()
await stage.close()
await report()
process.exit(failures.length > 0 ? 1 : 0)

function chosen(): readonly Scenario[] {
  const names = values.only?.split(',').map((name) => name.trim())
  if (!names) return scenarios.filter(({ isLong = false }) => !isQuick || !isLong)
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0)
    throw new Error(
      `There is no ${unknown.join(', ')}. There are: ${scenarios.map(({ name }) => name).join(', ')}.`,
    )
  return scenarios.filter(({ name }) => names.includes(name))
}

async function limited(scenario: Scenario): Promise<readonly Row[]> {
  const limitMs = Math.min(values.only ? scenarioMs.full : scenarioMs[size], endMs - performance.now())
  if (limitMs < leastMs) throw new Error('there was no time left')
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`it was not done within ${Math.round(limitMs / 1_000)} s`))
    const timer = setTimeout(late, limitMs)
    scenario
      .run(bench)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
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
  if (values['write-docs']) await writeDocs(result)
}
