/** Sends that are accepted while no worker runs, and how fast a worker that is started then hands them over. */
import { costing } from '../measuring/cpu.ts'
import { connectCarrier, type Sent, sending } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import { type Bench, furnish, type Row, rateRow, type Scenario, until } from '../scenario.ts'

const messages = { quick: 1_000, full: 50_000 }
const limitMs = 240_000

export const backlog: Scenario = {
  name: 'backlog',
  run: async (bench) => {
    const databaseUrl = await bench.stage.makeDatabase()
    try {
      const sent: Sent[] = []
      const accepted = await accept(bench, databaseUrl, sent)
      return [accepted, await handOver(bench, databaseUrl, sent.length)]
    } finally {
      bench.side.forget()
      await bench.stage.dropDatabase(databaseUrl)
    }
  },
}

async function accept({ stage, side, isQuick }: Bench, databaseUrl: string, sent: Sent[]): Promise<Row> {
  const service = await stage.startService(databaseUrl, { ROLE: 'api' })
  try {
    await connectCarrier(service, side)
    const { openApp, costing: costingBoth } = await furnish(stage, side, service)
    const apps = [await openApp('off', { hasHistory: false })]
    const most = isQuick ? messages.quick : messages.full
    const { result, costs } = await costingBoth(() =>
      closedLoop(service.port, sending(apps, sent), { seconds: limitMs / 1_000, most }),
    )
    return rateRow('accepted', 'sends accepted where nobody hands over', result, { beside: 'no-op', costs })
  } finally {
    await service.kill()
  }
}

async function handOver({ stage, side }: Bench, databaseUrl: string, count: number): Promise<Row> {
  const release = side.hold()
  const service = await stage.startService(databaseUrl, { ROLE: 'worker' })
  try {
    const { result, costs } = await costing(
      { service: service.pid, database: stage.postmaster },
      async () => {
        const startMs = performance.now()
        release()
        const isWhole = await until(() => side.taken() >= count, limitMs)
        const taken = side.taken()
        return { count: taken, isWhole, perSecond: (taken * 1_000) / (performance.now() - startMs) }
      },
    )
    const note = result.isWhole ? `all ${count}` : `${result.count} of ${count} within ${limitMs / 1_000} s`
    const what = 'messages handed over from a backlog'
    return rateRow('handed-over', what, result, { beside: 'accepted', costs, note })
  } finally {
    release()
    await service.kill()
  }
}
