/** The rate of sends by mode of the guard, and of verifies. All codes are entered before the next mode is measured. */
import { cycling, type Guard, openCompany, type Sent, sending, verifying } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
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

const guards: readonly (readonly [Guard, string])[] = [
  ['off', 'send, guard against pumping off'],
  ['monitor', 'send, guard watches'],
  ['auto', 'send, guard acts, in an app whose people enter their codes'],
]
const handOverMs = 60_000

export const sends: Scenario = {
  name: 'send and verify',
  run: (bench) =>
    withService(bench, async (running) => {
      const rows: Row[] = []
      for (const [guard, what] of guards) rows.push(...(await measure(bench, running, guard, what)))
      return rows
    }),
}

async function measure(bench: Bench, running: Running, guard: Guard, what: string): Promise<Row[]> {
  const { side, seconds } = bench
  const { port } = running.service
  // An app's debts with carriers also count for the other apps of its company, so each measurement has its own company.
  const companyId = await openCompany(running.service)
  const apps = [await running.openApp(guard, { companyId })]
  await warmUp(bench, running, cycling(apps, side))
  const sent: Sent[] = []
  const takenBefore = side.taken()
  // The cost of a send includes handing its message over, so this waits for that.
  const { result, costs } = await running.costing(async () => {
    const accepted = await closedLoop(port, sending(apps, sent), { seconds })
    await until(() => side.taken() - takenBefore >= accepted.count, handOverMs)
    return accepted
  })
  const send = rateRow(`send-${guard}`, what, result, {
    beside: guard === 'off' ? 'no-op' : 'send-off',
    costs,
    note: 'messages go out meanwhile',
  })
  const verify = await running.costing(() =>
    closedLoop(port, verifying(sent, side), { seconds: 600, most: sent.length }),
  )
  if (guard !== 'auto') return [send]
  return [
    send,
    rateRow('verify', 'verify, right codes', verify.result, { beside: 'no-op', costs: verify.costs }),
  ]
}
