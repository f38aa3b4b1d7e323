/** What docs/operations.md says about metrics, held against those that a process has. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { createMetrics } from './metrics.ts'

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

it('every metric of the service is in the table of docs/operations.md, each once, and no others', async () => {
  const metrics = createMetrics()
  metrics.watchIpSources(() => [])
  metrics.watchPartitions(() => null)
  const own = (await metrics.list()).map(({ name }) => name).filter((name) => name.startsWith('countersign_'))
  const cells = [...page.matchAll(/^\| (`countersign_.*?) \|/gm)].map(([, cell = '']) => cell)
  const said = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  assert.ok(own.length > 10)
  assert.deepEqual(said.toSorted(), own.toSorted())
})
