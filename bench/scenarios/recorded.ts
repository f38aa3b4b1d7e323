/**
 * Sends of an app that has 100,000 verifications and 100,000 refusals on record, compared with an app that has none.
 * Each has its own service and database, and they take turns, so that whatever else the machine does affects both.
 */
import { type App, cycling, type Sent, sending, verifying } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import { query } from '../measuring/stage.ts'
import { callOnce, requestText } from '../measuring/wire.ts'
import { seed } from '../pages/seed.ts'
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

const count = 100_000
/** Turns of each app. The first is thrown away, because the caches are still cold. */
const turns = 6
const turnSeconds = { quick: 2, full: 3 }
/** The warm-up of each of the two services. */
const warmUpEach = { roundOf: 1_000, mostRounds: 20, mostSeconds: 25 }
const writtenMs = 60_000
const handOverMs = 60_000

export const recorded: Scenario = {
  name: 'recorded',
  isLong: true,
  run: (bench) =>
    withOwnService(bench, (none) => withOwnService(bench, (grown) => measureBoth(bench, none, grown))),
}

async function measureBoth(bench: Bench, none: Running, grown: Running): Promise<Row[]> {
  const empty = { running: none, app: await openApp(bench, none), turns: [] as Turn[] }
  const full = { running: grown, app: await openApp(bench, grown), turns: [] as Turn[] }
  const { databaseUrl } = grown.service
  await untilWritten(databaseUrl)
  await seed(databaseUrl, { count, app: full.app, say: bench.say })
  for (const { service } of [none, grown]) await settle(service.databaseUrl)
  for (let turn = 0; turn < turns; turn++)
    // They take turns at being first.
    for (const one of turn % 2 === 0 ? [empty, full] : [full, empty]) {
      const measured = await measure(bench, one.running, one.app)
      if (turn > 0) one.turns.push(measured)
    }
  const words = count.toLocaleString('en-US')
  return [
    rowOf('send-nothing-recorded', 'send of an app with nothing on record', empty.turns),
    {
      ...rowOf('send-recorded', `send of an app with ${words} verifications and refusals`, full.turns),
      beside: 'send-nothing-recorded',
    },
    {
      id: 'recorded-ratio',
      what: 'processor of a send with those on record, by one with none',
      value: median(full.turns.map((turn, index) => costOf(turn) / costOf(empty.turns[index]))),
      unit: '',
      note: `the median of ${turns - 1} pairs of turns`,
    },
  ]
}

const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

const costOf = (turn: Turn | undefined) =>
  (turn?.costs.serviceUs ?? Number.NaN) + (turn?.costs.databaseUs ?? Number.NaN)

/** Finishes the work that seeding causes before anything is measured. Sends read no figures, so none are gathered. */
async function settle(url: string): Promise<void> {
  await query(url, `update figures_progress set gathered_to = date_trunc('hour', now())`)
  await query(url, 'vacuum (analyze)')
  await query(url, 'checkpoint')
}

/** Creates an app, warms its service up, and makes at least one row of each kind that is copied. */
async function openApp(bench: Bench, running: Running): Promise<App> {
  const app = await running.openApp('auto', { hasEndpoint: true })
  await warmUp({ ...bench, warmUp: warmUpEach }, running, cycling([app], bench.side))
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

/** The cost of a send includes handing its message over, so this waits for that. Codes are entered afterwards. */
async function measure({ side, isQuick }: Bench, { service, costing }: Running, app: App) {
  const seconds = turnSeconds[isQuick ? 'quick' : 'full']
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

/** Sums up all turns in one row. */
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
