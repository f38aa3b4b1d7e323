/**
 * How much of nine attacks is stopped, and what honest people notice of it.
 *
 *   node --import tsx bench/pumping/main.ts                 the table, and its drawing in docs/
 *   node --import tsx bench/pumping/main.ts --quick         the middle volume only
 *   node --import tsx bench/pumping/main.ts --write-trace FILE [--scenario A3] [--volume 400] [--seed 101]
 *   node --import tsx bench/pumping/main.ts --trace FILE [--decisions OUT] [--countries GB,DE]
 *                                           [--settings FILE] [--ip-sources FILE]
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkAgainstDatabase } from './check.ts'
import { drawTable } from './draw.ts'
import type { ScenarioName } from './scenario.ts'
import { makeRow, scenarioNames, textOf, volumes } from './table.ts'
import { replayTrace, writeTrace } from './trace.ts'

const { values: options } = parseArgs({
  options: {
    trace: { type: 'string' },
    decisions: { type: 'string' },
    countries: { type: 'string' },
    settings: { type: 'string' },
    'ip-sources': { type: 'string' },
    'write-trace': { type: 'string' },
    scenario: { type: 'string' },
    volume: { type: 'string' },
    seed: { type: 'string' },
    quick: { type: 'boolean' },
  },
})

if (options['write-trace']) {
  const scenario = (options.scenario ?? 'A3') as ScenarioName
  await writeTrace(
    options['write-trace'],
    scenario,
    Number(options.volume ?? 400),
    Number(options.seed ?? 101),
  )
} else if (options.trace) {
  await replayTrace(options.trace, {
    decisionsFile: options.decisions ?? null,
    countries: options.countries?.split(',') ?? [],
    settingsFile: options.settings ?? null,
    ipSourcesFile: options['ip-sources'] ?? null,
  })
} else {
  await runTable(options.quick ? volumes.slice(0, 1) : volumes)
}

async function runTable(perDays: readonly number[]): Promise<void> {
  for (const perDay of perDays) {
    const rows = scenarioNames.map((name) => makeRow(name, perDay))
    for (const guard of rows[0]?.results.keys() ?? []) {
      console.log(`\n${guard}, ${perDay} sends a day\n${textOf(rows, guard)}`)
    }
    if (perDay !== volumes[0]) continue
    const file = fileURLToPath(new URL('../../docs/pumping.svg', import.meta.url))
    await writeFile(file, drawTable(rows))
  }
  console.log(`\n${await checkAgainstDatabase()}`)
}
