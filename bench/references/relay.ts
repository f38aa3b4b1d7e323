/**
 * The best that a send or a verify could reach here with the same libraries: hand on a message, write a row, or both.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { costing } from '../measuring/cpu.ts'
import { type Call, closedLoop, expect200 } from '../measuring/load.ts'
import { untilSteady } from '../measuring/warm-up.ts'
import { requestText } from '../measuring/wire.ts'
import { type Bench, type Row, rateRow, type Scenario } from '../scenario.ts'

const program = fileURLToPath(new URL('relay-server.mjs', import.meta.url))

export const relay: Scenario = {
  name: 'relay',
  isLong: true,
  run: async (bench) => {
    const databaseUrl = await bench.stage.makeDatabase({ isEmpty: true })
    try {
      const carrier = { CARRIER: bench.side.carrierUrl }
      const kept = { KEPT_IN: databaseUrl }
      return [
        await measure(
          bench,
          'bare-handed-on',
          'a message handed on to the carrier, and nothing kept',
          carrier,
        ),
        await measure(bench, 'bare-kept', 'one row committed for each call, and nothing handed on', kept),
        await measure(bench, 'bare-both', 'both: one row committed, the message handed on', {
          ...carrier,
          ...kept,
        }),
      ]
    } finally {
      bench.side.forget()
      await bench.stage.dropDatabase(databaseUrl)
    }
  },
}

async function measure(bench: Bench, id: string, what: string, environment: NodeJS.ProcessEnv): Promise<Row> {
  const { stage, seconds, warmUp } = bench
  const child = fork(program, {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: ['--max-semi-space-size=64'],
  })
  stage.adopt(child)
  try {
    const port = await portOf(child)
    const pids = { service: child.pid ?? 0, database: stage.postmaster }
    const { mostSeconds, roundOf: most } = warmUp
    await untilSteady(warmUp, () =>
      costing(pids, () => closedLoop(port, sending(), { seconds: mostSeconds, most })),
    )
    const { result, costs } = await costing(pids, () => closedLoop(port, sending(), { seconds }))
    return rateRow(id, what, result, { beside: 'no-op', costs })
  } finally {
    child.kill('SIGKILL')
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('it ended while starting'))),
  ])
  return message.port
}

let serial = 0
const sending = (): Call => async (connection) => {
  const recipient = `+4475${String(++serial).padStart(8, '0')}`
  expect200(await connection.call(requestText('POST', '/send', { body: JSON.stringify({ recipient }) })))
}
