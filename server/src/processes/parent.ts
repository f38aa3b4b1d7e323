/**
 * Several processes on one machine. The parent starts what they need (database, simulator) and distributes the
 * connections that come to the port; the processes do everything else, each as its own node. A process that ends is
 * started again. All stop together.
 */
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SendOutcome } from '../channels/channel.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../platform/config-error.ts'
import { describeError } from '../platform/log.ts'
import { drainsAfter } from '../platform/stop-signals.ts'
import {
  addressesOf,
  type Greeting,
  openService,
  openSurroundings,
  type Service,
  type ServiceClosers,
  type Starting,
  type Surroundings,
  unboundedMs,
} from '../service.ts'
import { GatheredMetrics } from './gather-metrics.ts'
import { notConnected, unknownEnd } from './held-accounts.ts'
import { Ipc } from './ipc.ts'
import type { Downward, FailedStart, HandedOn, Upward } from './questions.ts'
import { closeUntakenConnections } from './untaken-connections.ts'

const firstPauseMs = 250
const longestPauseMs = 15_000
/** A process that ran for this long did not fail at its start, so the pauses start again from the shortest. */
const steadyMs = 60_000

export function startProcesses(config: Config, starting: Starting, program: string): Promise<Service> {
  // JSON would turn NaN into null, and metrics of an event loop that has not run yet are NaN.
  cluster.setupPrimary({ exec: program, args: ['start'], serialization: 'advanced' })
  return openService(config, starting, (closers) => start(config, starting, closers))
}

async function start(
  config: Config,
  starting: Starting,
  closers: ServiceClosers,
): Promise<Omit<Service, 'close'>> {
  const surroundings = await openSurroundings(config, starting, closers)
  const processes = new Processes(surroundings, starting)
  closers.add('app', 'processes', processes.close, unboundedMs)
  starting.progress(`starting ${config.processes} processes`)
  const greeting = await processes.start(config.processes)
  starting.signal.throwIfAborted()
  return { ...greeting, ...addressesOf(config, surroundings) }
}

interface Child {
  readonly worker: Worker
  readonly ipc: Ipc<Downward, Upward>
  readonly ended: Promise<void>
  readonly startedMs: number
}

export class Processes {
  readonly #surroundings: Surroundings
  readonly #starting: Starting
  /** The processes by their slot; the first one is at 0. */
  readonly #children = new Map<number, Child>()
  readonly #metrics = new GatheredMetrics()
  readonly #closing = new AbortController()

  constructor(surroundings: Surroundings, starting: Starting) {
    this.#surroundings = surroundings
    this.#starting = starting
  }

  /**
   * Starts the first process alone, so that the others find what it makes (partitions, keys, downloaded lists). From
   * then on calls are served, so if another process fails to start, the rest continue.
   */
  async start(count: number): Promise<Greeting> {
    const greeting = await this.#begin(0, true)
    const others = Array.from({ length: count - 1 }, (_, index) => index + 1)
    await Promise.all(others.map((slot) => this.#beginOrTell(slot)))
    for (const slot of this.#children.keys()) void this.#keepUp(slot)
    return greeting
  }

  readonly close = async (): Promise<void> => {
    this.#closing.abort()
    const drains = drainsAfter(this.#starting.signal)
    const [first, ...others] = [...this.#children]
      .sort(([one], [other]) => one - other)
      .map(([, child]) => child)
    for (const child of [first, ...others]) child?.ipc.ask('stop', { drains }).catch(() => {})
    await Promise.all(others.map(({ ended }) => ended))
    first?.ipc.ask('alone', null).catch(() => {})
    await first?.ended
  }

  /** Resolves when the process serves; rejects with the reason if it does not. */
  async #begin(slot: number, greets: boolean): Promise<Greeting> {
    this.#starting.signal.throwIfAborted()
    const worker = cluster.fork()
    closeUntakenConnections(worker)
    return new Promise((resolve, reject) => {
      // A process that the system could not start emits an error and never exits.
      const ended = new Promise<void>((end) => {
        worker.once('exit', () => end())
        worker.once('error', (error) => {
          reject(error)
          end()
        })
      })
      const ipc = new Ipc<Downward, Upward>(worker, {
        place: async () => ({ surroundings: this.#surroundings, isFirst: slot === 0, greets }),
        ready: async (greeting) => {
          resolve(greeting)
          return null
        },
        failed: async (why) => {
          reject(asError(why))
          return null
        },
        metrics: () => this.#readMetrics(),
        turn: async () => null,
        handOver: (handed) => this.#handOver(handed),
      })
      this.#children.set(slot, { worker, ipc, ended, startedMs: performance.now() })
      void ended.then(() => {
        void this.#metrics.forget(worker.id)
        reject(new Error('A process ended while starting.'))
      })
    })
  }

  /** Starts the process of this slot again whenever it ends, until all are told to stop. */
  async #keepUp(slot: number): Promise<void> {
    const { log } = this.#starting
    const { signal } = this.#closing
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      const child = this.#children.get(slot)
      await child?.ended
      if (signal.aborted || !child) return
      if (performance.now() - child.startedMs > steadyMs) pauseMs = firstPauseMs
      const { exitCode, signalCode } = child.worker.process
      log('warn', 'a process ended; it is started again', {
        ended_pid: this.#pidAt(slot),
        exit_code: exitCode,
        signal: signalCode,
        after_ms: pauseMs,
      })
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      if (signal.aborted) return
      if (await this.#beginOrTell(slot))
        log('info', 'a process serves in its place', { new_pid: this.#pidAt(slot) })
    }
  }

  /** True if the process serves. */
  #beginOrTell(slot: number): Promise<boolean> {
    return this.#begin(slot, false).then(
      () => true,
      (error: unknown) => {
        // If all are stopping, its end is no failure.
        if (!this.#starting.signal.aborted)
          this.#starting.log('error', 'a process could not be started', describeError(error))
        return false
      },
    )
  }

  #pidAt(slot: number): number {
    return this.#children.get(slot)?.worker.process.pid ?? 0
  }

  #readMetrics(): Promise<string> {
    const readers = [...this.#children.values()]
      .filter(({ ipc }) => !ipc.isCut)
      .map(({ worker, ipc }) => [worker.id, () => ipc.ask('ownMetrics', null)] as const)
    return this.#metrics.text(new Map(readers))
  }

  async #handOver(handed: HandedOn): Promise<SendOutcome> {
    const first = this.#children.get(0)
    if (!first || first.ipc.isCut) return notConnected
    return first.ipc.ask('handOver', handed).catch(() => unknownEnd)
  }
}

/** The error of the other process, with the properties that are checked here. */
const asError = ({ message, code, isOfSettings }: FailedStart): Error =>
  isOfSettings ? new ConfigError(message) : Object.assign(new Error(message), code === null ? {} : { code })
