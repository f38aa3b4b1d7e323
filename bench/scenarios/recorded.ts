/**
 * Sends of an app that has 100,000 verifications and 100,000 refusals on record, beside those of one that has none: each at
 * a service and a database of its own, in turns, so that what else the machine does meets both.
 */
import { type App, cycling, type Sent, sending, verifying } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import { query } from '../measuring/stage.ts'
import { callOnce, requestText } from '../measuring/wire.ts'
import { seed, untilGathered } from '../pages/seed.ts'
import {
  type Bench,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  until,
  warmUp,
  withOwnService,
} from '../scenario.ts'

const many = 100_000
/** Where a quick run is asked for it by name. */
const some = 10_000
const turns = 3
const writtenMs = 60_000
const handOverMs = 60_000

export const recorded: Scenario = {
  name: 'recorded',
  isLong: true,
  run: (bench) =>
    withOwnService(bench, (none) => withOwnService(bench, (grown) => measureBoth(bench, none, grown))),
}

async function measureBoth(bench: Bench, none: Running, grown: Running): Promise<Row[]> {
  const count = bench.isQuick ? some : many
  const empty = { running: none, app: await openApp(bench, none), turns: [] as Turn[] }
  const full = { running: grown, app: await openApp(bench, grown), turns: [] as Turn[] }
  const { databaseUrl } = grown.service
  await untilWritten(databaseUrl)
  await seed(databaseUrl, { count, app: full.app, say: bench.say })
  await untilGathered(databaseUrl)
  for (let turn = 0; turn < turns; turn++)
    for (const one of [empty, full]) one.turns.push(await measure(bench, one.running, one.app))
  const words = count.toLocaleString('en-US')
  return [
    rowOf('send-nothing-recorded', 'send of an app with nothing on record', empty.turns),
    {
      ...rowOf('send-recorded', `send of an app with ${words} verifications and refusals`, full.turns),
      beside: 'send-nothing-recorded',
    },
  ]
}

/** Warm, and with some of everything that is copied. */
async function openApp(bench: Bench, running: Running): Promise<App> {
  const app = await running.openApp('auto', { hasEndpoint: true })
  await warmUp(bench, running, cycling([app], bench.side))
  const request = { key: app.key, body: '{"recipient":"+4474"}' }
  await callOnce(running.service.port, requestText('POST', '/api/v1/otp/send', request))
  return app
}

async function untilWritten(url: string): Promise<void> {
  const isWritten = async () =>
    (
      await query(
        url,
        `select 1 where exists (select 1 from refusals)
            and exists (select 1 from events where status = 'delivered' and type = 'otp.approved')
            and exists (select 1 from deliveries where status in ('sent', 'delivered') and next_attempt_at is null)`,
      )
    ).length > 0
  if (!(await until(isWritten, writtenMs))) throw new Error('what is copied was not written in time')
}

type Turn = Awaited<ReturnType<typeof measure>>

/** What is handed over meanwhile and afterwards is part of what a send costs; the codes are typed once it is over. */
async function measure({ side, seconds }: Bench, { service, costing }: Running, app: App) {
  const sent: Sent[] = []
  const takenBefore = side.taken()
  const turn = await costing(async () => {
    const accepted = await closedLoop(service.port, sending([app], sent), { seconds })
    await until(() => side.taken() - takenBefore >= accepted.count, handOverMs)
    return accepted
  })
  await closedLoop(service.port, verifying(sent, side), { seconds: handOverMs / 1_000, most: sent.length })
  return turn
}

/** All turns as one. */
function rowOf(id: string, what: string, all: readonly Turn[]): Row {
  const count = all.reduce((sum, { result }) => sum + result.count, 0)
  const seconds = all.reduce((sum, { result }) => sum + result.seconds, 0)
  const mean = (cost: (turn: Turn) => number | null) =>
    all.reduce((sum, turn) => sum + (cost(turn) ?? Number.NaN) * turn.result.count, 0) / count
  const costs = {
    serviceUs: mean(({ costs }) => costs.serviceUs),
    databaseUs: mean(({ costs }) => costs.databaseUs),
    callersUs: mean(({ costs }) => costs.callersUs),
  }
  return rateRow(id, what, { perSecond: count / seconds }, { costs, note: 'messages go out meanwhile' })
}
