/**
 * How long a send and a verify take at half and at a tenth of the highest rate of cycles. A send is timed from when it
 * should have started, a verify from when its code could be entered.
 */
import { sendOne, verifyOne } from '../measuring/customer.ts'
import { openLoop, percentile } from '../measuring/load.ts'
import { type Bench, type Row, type Running, type Scenario, warmUp, withService } from '../scenario.ts'

const usualCycles = 500

export const latency: Scenario = {
  name: 'latency',
  run: (bench) =>
    withService(bench, async (running) => {
      const most = bench.found('cycle')?.value ?? usualCycles
      const app = await running.openApp('auto', { hasEndpoint: true })
      const timings = { send: [] as number[], verify: [] as number[] }
      const call: Parameters<typeof openLoop>[1] = async (connection, intendedMs) => {
        const sent = await sendOne(connection, app)
        timings.send.push(performance.now() - intendedMs)
        const code = await bench.side.codeOf(sent.recipient)
        const codeAtMs = performance.now()
        await verifyOne(connection, sent, code)
        timings.verify.push(performance.now() - codeAtMs)
      }
      await warmUp(bench, running, call)
      return [
        ...(await measure(bench, running, call, timings, { share: 0.5, words: 'half', most })),
        ...(await measure(bench, running, call, timings, { share: 0.1, words: 'a tenth', most })),
      ]
    }),
}

async function measure(
  { seconds }: Bench,
  { service }: Running,
  call: Parameters<typeof openLoop>[1],
  timings: { send: number[]; verify: number[] },
  { share, words, most }: { readonly share: number; readonly words: string; readonly most: number },
): Promise<Row[]> {
  timings.send.length = 0
  timings.verify.length = 0
  await openLoop(service.port, call, { perSecond: most * share, seconds })
  return (['send', 'verify'] as const).flatMap((name): Row[] => {
    const sorted = timings[name].sort((left, right) => left - right)
    const row = (point: string, at: number, beside?: string): Row => ({
      id: `${name}-${point}-${share}`,
      what: `${name} at ${words} of the most cycles, ${point}`,
      value: percentile(sorted, at),
      unit: 'ms',
      ...(beside ? { beside } : {}),
    })
    return share === 0.5 ? [row('p50', 0.5), row('p99', 0.99, `${name}-p50-0.5`)] : [row('p50', 0.5)]
  })
}
