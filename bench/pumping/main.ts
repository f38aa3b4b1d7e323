/**
 * How much of each attack is stopped, and how many honest people are affected.
 *
 *   npm run bench:pumping                 the table, and its drawing in docs/
 *   npm run bench:pumping -- --quick      the middle volume only
 *   npm run bench:pumping -- --only A3,clean --seeds 1,2 --volumes 6000   some rows, on chosen seeds
 *   npm run bench:pumping -- --picture    what places owe over time, drawn into docs/
 *   npm run bench:pumping -- --trace FILE [--database] [--decisions OUT] [--countries GB,DE] [--settings FILE] [--ip-sources FILE]
 *   npm run bench:pumping -- --write-trace FILE [--scenario A3] [--volume 400] [--seed 101]
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { onStopSignals } from '../../server/src/platform/stop-signals.ts'
import { drawTable } from './draw.ts'
import { drawDebts } from './draw-debt.ts'
import { replayTrace } from './replay-trace.ts'
import { makeRow, scenarioNames, textOf, volumes } from './table.ts'
import { FileError, writeTrace } from './trace.ts'

// npm changes to the folder of package.json, but file names are relative to where npm was called.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD)

try {
  await run()
} catch (error) {
  if (!isUsers(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** An error in what the user gave, which is shown without a stack. */
function isUsers(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return error instanceof FileError || /^(ENOENT|EACCES|EISDIR|ENOTDIR|ERR_PARSE_ARGS_.*)$/.test(code)
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      trace: { type: 'string' },
      decisions: { type: 'string' },
      countries: { type: 'string' },
      settings: { type: 'string' },
      'ip-sources': { type: 'string' },
      'write-trace': { type: 'string' },
      scenario: { type: 'string', default: 'A3' },
      volume: { type: 'string', default: '400' },
      seed: { type: 'string', default: '101' },
      database: { type: 'boolean' },
      quick: { type: 'boolean' },
      only: { type: 'string' },
      seeds: { type: 'string' },
      volumes: { type: 'string' },
      picture: { type: 'boolean' },
    },
  })
  if (options['write-trace'] !== undefined) {
    const scenario = scenarioNames.find((name) => name === options.scenario)
    if (!scenario) throw new FileError(`--scenario is one of ${scenarioNames.join(', ')}.`)
    await writeTrace(options['write-trace'], scenario, Number(options.volume), Number(options.seed))
  } else if (options.trace !== undefined) {
    await replayTrace(options.trace, {
      decisionsFile: options.decisions ?? null,
      countries: listOf(options.countries ?? ''),
      settingsFile: options.settings ?? null,
      ipSourcesFile: options['ip-sources'] ?? null,
      isOnDatabase: options.database ?? false,
      signal: onInterrupt(),
    })
  } else if (options.picture) {
    await writeFile(drawing('pumping-inside.svg'), drawDebts())
  } else if (options.only !== undefined || options.seeds !== undefined) {
    const wanted = options.only?.split(',') ?? scenarioNames
    const names = scenarioNames.filter((name) => wanted.includes(name))
    const perDays = options.volumes?.split(',').map(Number) ?? volumes.slice(0, 1)
    const seeds = (options.seeds ?? '1').split(',').map(Number)
    for (const name of names) console.log(textOf([makeRow(name, perDays, seeds)], perDays, true))
  } else {
    await runTable(options.quick ? volumes.slice(0, 1) : volumes)
  }
}

/** The first signal ends the replay and prints what was decided so far; the second ends the process. */
function onInterrupt(): AbortSignal {
  const stop = new AbortController()
  onStopSignals(
    () => stop.abort(),
    () => process.exit(1),
  )
  return stop.signal
}

function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim().toUpperCase())
  return items.filter((item) => item !== '')
}

function drawing(name: string): string {
  return fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
}

async function runTable(perDays: readonly number[]): Promise<void> {
  const { checkAgainstDatabase } = await import('./check.ts')
  const rows = scenarioNames.map((name) => {
    console.error(`· ${name}`)
    return makeRow(name, perDays, null)
  })
  console.log(textOf(rows, perDays))
  await writeFile(drawing('pumping.svg'), drawTable(rows))
  console.log(`\n${await checkAgainstDatabase()}`)
}
