/** How much memory the service holds after many cycles. If it grew with them, the service would run out one day. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cycling } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import type { Service } from '../measuring/stage.ts'
import { callOnce, requestText } from '../measuring/wire.ts'
import { type Bench, type Row, type Running, type Scenario, withOwnService } from '../scenario.ts'

const marks = { quick: [300, 1_000], full: [10_000, 100_000, 250_000, 500_000, 750_000, 1_000_000] }
const limitMs = { quick: 3_000, full: 150_000 }
const megabyte = 1_048_576
const collecting = fileURLToPath(new URL('../measuring/collect-on-signal.cjs', import.meta.url))

export const memory: Scenario = {
  name: 'memory',
  isLong: true,
  run: (bench) =>
    withOwnService(bench, (running) => measure(bench, running), {
      NODE_OPTIONS: `--require "${collecting}"`,
    }),
}

async function measure(bench: Bench, { service, openApp }: Running): Promise<Row[]> {
  const size = bench.isQuick ? 'quick' : 'full'
  const call = cycling([await openApp('auto', { hasEndpoint: true })], bench.side)
  const endMs = bench.isUnhurried ? Number.POSITIVE_INFINITY : performance.now() + limitMs[size]
  const rows: Row[] = []
  let done = 0
  for (const mark of marks[size]) {
    const seconds = (endMs - performance.now()) / 1_000
    if (seconds <= 0) break
    done += (await closedLoop(service.port, call, { seconds, most: mark - done })).count
    const found = await readRows(service, done)
    // A million cycles take so long that what was found is printed at once, for anybody who ends the run early.
    for (const { what, value } of found) bench.say(`${what}: ${Math.round(value)} MB`)
    rows.push(...found)
    // Keeps the memory of the callers' process from growing.
    bench.side.forget()
  }
  return rows
}

/** Resident memory includes garbage; the heap is read after a collection. */
async function readRows({ port, pid }: Service, cycles: number): Promise<Row[]> {
  const resident = figureIn(await readMetrics(port), 'process_resident_memory_bytes') || residentOf(pid)
  process.kill(pid, 'SIGUSR2')
  // The first answer may have been under way before the signal arrived.
  await readMetrics(port)
  const heap = figureIn(await readMetrics(port), 'nodejs_heap_size_used_bytes')
  const rowOf = (id: string, what: string, bytes: number): Row => ({
    id: `${id}-${cycles}`,
    what: `${what} after ${cycles.toLocaleString('en-US')} cycles`,
    value: bytes / megabyte,
    unit: 'MB',
  })
  return [rowOf('resident', 'resident memory', resident), rowOf('heap', 'heap in use', heap)]
}

const readMetrics = async (port: number) => (await callOnce(port, requestText('GET', '/metrics'))).body

const figureIn = (metrics: string, name: string) =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)

const residentOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
