/** Sends by how closely the guard looks, and verifies. Whatever was sent is verified before the next is measured. */
import { cycling, type Guard, type Sent, sending, verifying } from '../measuring/customer.ts'
import { closedLoop, warmUp } from '../measuring/load.ts'
import {
  type Bench,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  until,
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
  const apps = [await running.openApp(guard)]
  // Its history, and a warm start.
  await warmUp(port, cycling(apps, side), { seconds })
  const sent: Sent[] = []
  const takenBefore = side.taken()
  // What is handed over meanwhile and afterwards is part of what a send costs.
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
