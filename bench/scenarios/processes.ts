/** The same cycles with one and with two processes: what the second one brings, and what it costs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cycling } from '../measuring/customer.ts'
import { type Bench, type Row, rateRow, type Scenario, saturate, withService } from '../scenario.ts'

const knownMs = 1_200

export const processes: Scenario = {
  name: 'processes',
  run: async (bench) => {
    const one = await measure(bench, 1)
    const two = await measure(bench, 2)
    const each = ({ costs }: Row) => costs?.serviceUs ?? Number.NaN
    return [
      one,
      two,
      {
        id: 'processes-cpu',
        what: 'processor of the service per cycle, two processes by one',
        value: each(two) / each(one),
        unit: '',
      },
    ]
  },
}

function measure(bench: Bench, count: number): Promise<Row> {
  return withService(
    bench,
    async (running) => {
      // What was set over one process is known to the others within a second.
      await sleep(knownMs)
      const app = await running.openApp('auto', { hasEndpoint: true })
      const { result, costs } = await saturate(bench, running, cycling([app], bench.side))
      const what = count === 1 ? 'cycle with one process' : 'cycle with two processes'
      return rateRow(`processes-${count}`, what, result, {
        costs,
        ...(count === 1 ? {} : { beside: 'processes-1' }),
      })
    },
    { PROCESSES: String(count) },
  )
}
