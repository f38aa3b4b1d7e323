/** `npm run test:fuzz -- --cases 100000 --seed 7`: the long form, which also checks memory. */
import { providerKinds } from '../../src/channels/index.ts'
import { createTestDatabase, processesOf } from '../harness/database.ts'
import { startNode } from '../harness/node.ts'
import { readOptions } from '../harness/options.ts'
import { fuzz } from './fuzz.ts'

/** More than all caches hold, and less than a leak of a kilobyte per case. */
const mostGrowthBytes = 64 * 1_048_576
const sayEvery = 1_000

const {
  cases,
  seed,
  'at-once': atOnce,
  'slow-ms': slowMs,
} = readOptions({ cases: 100_000, seed: 1, 'at-once': 8, 'slow-ms': 1_000 })

const heapBytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const database = await createTestDatabase()
const node = await startNode(database.url, {
  role: 'api',
  kinds: new Map(Object.entries(providerKinds)),
  builtIn: () => [],
})
const begun = performance.now()
let settledBytes = 0
const result = await fuzz(node, {
  seed,
  cases,
  atOnce,
  slowMs,
  processes: () => processesOf(database),
  onFailure: (failure) => console.error(failure),
  onProgress: (done) => {
    if (done === Math.ceil(cases / 4)) settledBytes = heapBytes()
    if (done % sayEvery === 0)
      console.log(`· ${done} cases, heap ${Math.round(process.memoryUsage().heapUsed / 1_048_576)} MB`)
  },
})
const growthBytes = heapBytes() - settledBytes
const isReady = (await node.call('GET', '/readyz')).status === 200
await node.close()
await database.close()
const seconds = Math.round((performance.now() - begun) / 1000)
if (atOnce === 1)
  for (const { cpuMs, said } of result.dearest)
    console.log(`· ${Math.round(cpuMs)} ms of a processor: ${said}`)
console.log(
  `seed ${seed}: ${result.http} calls and ${result.wires} packets, dialogues, reports and lists in ${seconds} s; ` +
    `slowest ${Math.round(result.slowestMs)} ms, ${result.slowOnce} too slow beside others and not alone; heap grew by ${Math.round(growthBytes / 1_048_576)} MB; ` +
    `${result.failures.length} failures`,
)
process.exit(result.failures.length === 0 && growthBytes < mostGrowthBytes && isReady ? 0 : 1)
