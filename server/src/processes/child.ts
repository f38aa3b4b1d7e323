/** One of several processes under a parent: runs only the app, until the parent or a signal tells it to stop. */
import { once } from 'node:events'
import { type Config, readConfig } from '../config.ts'
import { ConfigError } from '../platform/config-error.ts'
import { codeOf } from '../platform/error-code.ts'
import { createLog } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { onStopSignals, StopRequest } from '../platform/stop-signals.ts'
import { untilAnswered } from '../platform/until-answered.ts'
import { within } from '../platform/within.ts'
import { type AppParts, drainFor, greet, loadLater, openApp } from '../service.ts'
import { HeldAccounts, kindsElsewhere } from './held-accounts.ts'
import { Ipc } from './ipc.ts'
import type { Downward, FailedStart, ProcessSlot, Upward } from './questions.ts'

/** If the parent got the same signal, it tells this process within this time. */
const wordOfParentMs = 1_000

type ParentIpc = Ipc<Upward, Downward>

/** What the parent has told this process, and what the parent may ask for. */
interface ChildState {
  readonly stop: AbortController
  /** Aborted when the parent itself stops, and with it all processes. */
  readonly allStop: AbortController
  readonly alone: AbortController
  /** Of the last attempt to open the app; null before the first. */
  metrics: ReturnType<typeof createMetrics> | null
  readonly held: HeldAccounts
}

export async function runChild(): Promise<void> {
  // The reader of the output may be gone, which must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const state: ChildState = {
    stop: new AbortController(),
    allStop: new AbortController(),
    alone: new AbortController(),
    metrics: null,
    held: new HeldAccounts(),
  }
  onStopSignals(
    (request) => state.stop.abort(request),
    () => {},
  )
  const ipc = openIpc(state)
  try {
    await serve(readConfig(), ipc, state)
  } catch (error) {
    await ipc.ask('failed', describeStart(error)).catch(() => {})
    process.exit(1)
  }
  process.exit(0)
}

function openIpc(state: ChildState): ParentIpc {
  const end = {
    send: (message: unknown, callback: (error: Error | null) => void) =>
      process.send?.(message, undefined, undefined, callback),
    on: (event: string, listener: (...heard: unknown[]) => void) => process.on(event, listener),
  }
  const { stop, allStop, alone, held } = state
  return new Ipc<Upward, Downward>(end, {
    stop: async ({ drains }) => {
      allStop.abort()
      stop.abort(new StopRequest(drains))
      return null
    },
    alone: async () => {
      alone.abort()
      return null
    },
    ownMetrics: async () => (await state.metrics?.list()) ?? [],
    handOver: held.handOver,
  })
}

async function serve(config: Config, ipc: ParentIpc, state: ChildState): Promise<void> {
  const { signal } = state.stop
  const slot = await ipc.ask('place', null)
  const open = () => openApp(config, slot.surroundings, partsOf(config, slot, ipc, state))
  const app = await untilAnswered(open, { progress, signal })
  try {
    if (signal.aborted) return
    const greeting = slot.greets ? await greet(config, slot.surroundings, app) : noGreeting
    await app.listen(slot.surroundings.port, config.host)
    await ipc.ask('ready', greeting)
    loadLater(config, signal)
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await app.close()
  }
}

const progress = (line: string) => console.log(`· ${line}`)
const noGreeting = { firstApp: null, signInLink: null }

function partsOf(config: Config, { isFirst }: ProcessSlot, ipc: ParentIpc, state: ChildState): AppParts {
  const { held } = state
  const metrics = createMetrics()
  state.metrics = metrics
  return {
    log: createLog(config.logLevel, process.pid),
    drainMs: drainFor(config, state.stop.signal),
    onStopWaits: (names) => progress(`waiting for ${names.join(', ')}`),
    kinds: isFirst ? held.kinds : kindsElsewhere((handed) => ipc.ask('handOver', handed)),
    metrics: { ...metrics, text: () => ipc.ask('metrics', null) },
    untilOthersEnd: isFirst ? () => othersEnd(state) : undefined,
    untilHandedOn: () => ipc.ask('turn', null),
  }
}

/** Waits for the other processes, unless only this one stops: the others then continue with its replacement. */
async function othersEnd({ allStop, alone }: ChildState): Promise<void> {
  if (!allStop.signal.aborted) await within(wordOfParentMs, once(allStop.signal, 'abort'))
  if (allStop.signal.aborted && !alone.signal.aborted) await once(alone.signal, 'abort')
}

const describeStart = (error: unknown): FailedStart => ({
  message: error instanceof Error ? error.message : 'A process could not start.',
  code: codeOf(error),
  isOfSettings: error instanceof ConfigError,
})
