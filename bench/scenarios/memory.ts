/** What the service holds after many cycles: if it grew with them, it would end one day. */
import { readFileSync } from 'node:fs'
import { cycling } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import { callOnce, requestText } from '../measuring/wire.ts'
import { type Row, type Scenario, withOwnService } from '../scenario.ts'

const marks = { quick: [300, 1_000], full: [10_000, 100_000, 250_000, 500_000, 750_000, 1_000_000] }
const limitMs = { quick: 3_000, full: 150_000 }
const megabyte = 1_048_576

export const memory: Scenario = {
  name: 'memory',
  isLong: true,
  run: (bench) =>
    withOwnService(bench, async ({ service, openApp }) => {
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
        // A million takes so long that whoever ends it early wants what was found until then.
        for (const { what, value } of found) bench.say(`${what}: ${Math.round(value)} MB`)
        rows.push(...found)
        // What the other side remembers is not what is measured.
        bench.side.forget()
      }
      return rows
    }),
}

async function readRows({ port, pid }: { port: number; pid: number }, cycles: number): Promise<Row[]> {
  const { body } = await callOnce(port, requestText('GET', '/metrics'))
  const heap = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(body)?.[1])
  const resident = Number(/^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1] ?? residentOf(pid))
  const thousands = `${cycles.toLocaleString('en-US')} cycles`
  return [
    {
      id: `resident-${cycles}`,
      what: `resident memory after ${thousands}`,
      value: resident / megabyte,
      unit: 'MB',
    },
    { id: `heap-${cycles}`, what: `heap after ${thousands}`, value: heap / megabyte, unit: 'MB' },
  ]
}

const residentOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
