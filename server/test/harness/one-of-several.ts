/** A child process that serves nobody: it reports that it is ready, or dies before. */
import assert from 'node:assert/strict'
import { Ipc } from '../../src/processes/ipc.ts'
import type { Downward, Upward } from '../../src/processes/questions.ts'

const end = {
  send: (message: unknown, callback: (error: Error | null) => void) =>
    process.send?.(message, undefined, undefined, callback),
  on: (event: string, listener: (...heard: unknown[]) => void) => process.on(event, listener),
}
const ipc = new Ipc<Upward, Downward>(end, {
  stop: async () => process.exit(0),
  alone: async () => null,
  ownMetrics: async () => [],
  handOver: async () => assert.fail('nothing is handed over'),
})
const { isFirst } = await ipc.ask('place', null)
// The first process always starts.
if (!isFirst && process.env.BEHAVIOUR === 'dies while it starts') process.exit(1)
await ipc.ask('ready', { firstApp: null, signInLink: null })
