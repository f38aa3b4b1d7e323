/** The same cycles with one and with two processes: what the second one brings, and what it costs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cycling } from '../measuring/customer.ts'
import {
  type Bench,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  saturate,
  withOwnService,
  withService,
} from '../scenario.ts'

const knownMs = 1_200

export const processes: Scenario = {
  name: 'processes',
  run: async (bench) => {
    const one = await withService(bench, (running) => measureOne(bench, running))
    const two = await measureTwo(bench)
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

/** Each of them compiles for itself, and gets half of the calls. */
const ofBoth = ({ roundOf, ...bounds }: Bench['warmUp']) => ({ ...bounds, roundOf: 2 * roundOf })

async function cycles(bench: Bench, running: Running) {
  const app = await running.openApp('auto', { hasEndpoint: true })
  return saturate(bench, running, cycling([app], bench.side))
}

async function measureOne(bench: Bench, running: Running): Promise<Row> {
  const { result, costs } = await cycles(bench, running)
  return rateRow('processes-1', 'cycle with one process', result, { costs })
}

function measureTwo(bench: Bench): Promise<Row> {
  return withOwnService(
    bench,
    async (running) => {
      // What was set over one process is known to the other within a second.
      await sleep(knownMs)
      const { result, costs } = await cycles({ ...bench, warmUp: ofBoth(bench.warmUp) }, running)
      return rateRow('processes-2', 'cycle with two processes', result, { costs, beside: 'processes-1' })
    },
    { PROCESSES: '2' },
  )
}
