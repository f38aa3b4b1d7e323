/** Compares the documents about metrics, ids and tables with those that exist. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { databaseProblems } from './database/problems.ts'
import type { ReadProblem } from './database/read-database.ts'
import { idPrefixes } from './ids.ts'
import { createMetrics } from './metrics.ts'

const fileOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** Every word between backticks. */
const codesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

async function listMetrics(): Promise<string[]> {
  const metrics = createMetrics()
  metrics.watchIpSources(() => [])
  metrics.watchPartitions(() => null)
  metrics.watchPools(() => [])
  metrics.watchReading(() => null)
  metrics.watchDatabaseHosts(() => [])
  return (await metrics.list()).map(({ name }) => name).filter((name) => name.startsWith('countersign_'))
}

it('every metric of the service is in the table of docs/operations.md, each once, and no others', async () => {
  const own = await listMetrics()
  const rows = [...fileOf('docs/operations.md').matchAll(/^\| (`countersign_.*?) \|/gm)]
  assert.ok(own.length > 10)
  assert.deepEqual(rows.flatMap(([, cell = '']) => codesIn(cell)).toSorted(), own.toSorted())
})

it('every problem of the database is in the table of docs/operations.md, and no others', () => {
  const part =
    fileOf('docs/operations.md').split('### What is wrong with the database')[1]?.split('\n### ')[0] ?? ''
  const said = [...part.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => codesIn(cell))
  const ofReading: readonly ReadProblem[] = ['read_database_unreachable', 'read_database_lagging']
  assert.deepEqual(said.toSorted(), [...databaseProblems, ...ofReading].toSorted())
})

it('every prefix of ids that callers see is in docs/api.md, and no others', () => {
  const [, sentence = ''] = /^\*\*Ids\*\* (.*)$/m.exec(fileOf('docs/api.md')) ?? []
  const { decision: _neverShown, ...shown } = idPrefixes
  assert.deepEqual(
    codesIn(sentence).toSorted(),
    Object.values(shown)
      .map((prefix) => `${prefix}_`)
      .toSorted(),
  )
})

it('every table is in docs/architecture.md, and no others', () => {
  const page =
    fileOf('docs/architecture.md').split('## Tables, and how they shrink')[1]?.split('\n## ')[0] ?? ''
  const said = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => codesIn(cell))
  const tables = [...fileOf('server/schema.sql').matchAll(/^create table (\w+) \(/gm)].map(
    ([, name = '']) => name,
  )
  const speaksOf = (words: string, table: string) =>
    words.endsWith('…') ? table.startsWith(words.slice(0, -1)) : words === table
  assert.ok(tables.length > 30)
  assert.deepEqual(
    tables.filter((table) => said.filter((words) => speaksOf(words, table)).length !== 1),
    [],
  )
  assert.deepEqual(
    said.filter((words) => !tables.some((table) => speaksOf(words, table))),
    [],
  )
})

it('no document names a metric that there is not', async () => {
  const own = new Set(await listMetrics())
  const folder = new URL('../../../docs/', import.meta.url)
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  const named = pages.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/`(countersign_[a-z_]+)/g)].map(
      ([, metric = '']) => [name, metric] as const,
    ),
  )
  assert.ok(named.length > own.size)
  // A name that ends with an underscore stands for all that begin with it, and a histogram has several names in
  // Prometheus.
  const isKnown = (metric: string) =>
    own.has(metric.replace(/_(bucket|sum|count)$/, '')) ||
    own.has(metric) ||
    (metric.endsWith('_') && [...own].some((name) => name.startsWith(metric)))
  assert.deepEqual(
    named.filter(([, metric]) => !isKnown(metric)),
    [],
  )
})
