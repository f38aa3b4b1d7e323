/**
 * The same cycles with one and with two processes: what the second one adds, and what it costs. Measured once with the
 * same number of callers, and once with as many callers per process, which is the situation in which one adds a
 * process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { cycling } from '../measuring/customer.ts'
import { closedLoop, usualCallers } from '../measuring/load.ts'
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
    const [two, twice] = await measureTwo(bench)
    return [
      one,
      two,
      besideOne('processes-cpu', 'processor of the service per cycle, two processes by one', two, one),
      twice,
      besideOne('processes-cpu-twice', 'the same, with twice the callers for two processes', twice, one),
    ]
  },
}

const besideOne = (id: string, what: string, row: Row, one: Row): Row => ({
  id,
  what,
  value: serviceUsOf(row) / serviceUsOf(one),
  unit: '',
})

const serviceUsOf = ({ costs }: Row) => costs?.serviceUs ?? Number.NaN

/** Each process compiles for itself and gets half of the calls, so a round has twice as many. */
const ofBoth = ({ roundOf, ...bounds }: Bench['warmUp']) => ({ ...bounds, roundOf: 2 * roundOf })

async function measureOne(bench: Bench, running: Running): Promise<Row> {
  const app = await running.openApp('auto', { hasEndpoint: true })
  const { result, costs } = await saturate(bench, running, cycling([app], bench.side))
  return rateRow('processes-1', 'cycle with one process', result, { costs })
}

function measureTwo(bench: Bench): Promise<readonly [Row, Row]> {
  return withOwnService(
    bench,
    async (running) => {
      // Settings that were changed through one process are in force in the other within a second.
      await sleep(knownMs)
      const app = await running.openApp('auto', { hasEndpoint: true })
      const call = cycling([app], bench.side)
      const beside = 'processes-1'
      const same = await saturate({ ...bench, warmUp: ofBoth(bench.warmUp) }, running, call)
      const twice = await running.costing(() =>
        closedLoop(running.service.port, call, { seconds: bench.seconds, callers: 2 * usualCallers }),
      )
      return [
        rateRow('processes-2', 'cycle with two processes', same.result, { costs: same.costs, beside }),
        rateRow('processes-2-twice', 'cycle with two processes and twice the callers', twice.result, {
          costs: twice.costs,
          beside,
        }),
      ]
    },
    { PROCESSES: '2' },
  )
}
