/**
 * A whole verification: a send, the carrier takes the message, its code is verified, the event reaches the endpoint.
 */
import { cycling } from '../measuring/customer.ts'
import { closedLoop, openLoop, percentile } from '../measuring/load.ts'
import {
  type Bench,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  until,
  warmUp,
  withService,
} from '../scenario.ts'

const ofSaturation = 0.8
const arrivalMs = 60_000

export const cycle: Scenario = {
  name: 'cycle',
  run: (bench) =>
    withService(bench, async (running) => {
      const app = await running.openApp('auto', { hasEndpoint: true })
      let wanted = 0
      let isWhole = false
      const call = cycling([app], bench.side, () => wanted++)
      await warmUp(bench, running, call)
      // A cycle's cost includes its events, so those that are still on their way after the last verify are waited for.
      const { result, costs } = await running.costing(async () => {
        const cycles = await closedLoop(running.service.port, call, bench)
        isWhole = await until(() => bench.side.arrivals('otp.approved').size >= wanted, arrivalMs)
        return cycles
      })
      const arrived = bench.side.arrivals('otp.approved').size
      return [
        rateRow('cycle', 'cycle: send, carrier, verify, event', result, {
          beside: 'no-op',
          costs,
          note: isWhole
            ? `all ${wanted} events arrived`
            : `${arrived} of ${wanted} events arrived in a minute`,
        }),
        ...(await measureEvents(bench, running, result.perSecond * ofSaturation)),
      ]
    }),
}

/** How long an event takes to arrive after the answer to its verify. */
async function measureEvents(bench: Bench, running: Running, perSecond: number): Promise<Row[]> {
  const { side, seconds } = bench
  const app = await running.openApp('auto', { hasEndpoint: true })
  const approved = new Map<string, number>()
  const call = cycling([app], side, (otpId, atMs) => approved.set(otpId, atMs))
  await openLoop(running.service.port, call, { perSecond, seconds })
  const arrivals = side.arrivals('otp.approved')
  await until(() => [...approved.keys()].every((otpId) => arrivals.has(otpId)), arrivalMs)
  const delays = [...approved].flatMap(([otpId, atMs]) => {
    const arrivedMs = arrivals.get(otpId)
    return arrivedMs === undefined ? [] : [Math.max(0, arrivedMs - atMs)]
  })
  delays.sort((left, right) => left - right)
  const lost = approved.size - delays.length
  const note =
    lost === 0 ? `all ${approved.size} arrived` : `${lost} of ${approved.size} did not arrive in a minute`
  return [
    {
      id: 'event-p50',
      what: 'event after its verify, at 80 % of the most, p50',
      value: percentile(delays, 0.5),
      unit: 'ms',
    },
    {
      id: 'event-p99',
      what: 'event after its verify, at 80 % of the most, p99',
      value: percentile(delays, 0.99),
      unit: 'ms',
      note,
    },
  ]
}
