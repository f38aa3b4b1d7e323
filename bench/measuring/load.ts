/**
 * Two ways to call. Closed loop: a fixed number of callers, each of which calls again as soon as it is answered; this
 * gives the highest possible rate. Open loop: calls start at their own times, whether earlier ones are answered or not,
 * and each is timed from when it should have started, so that a stall counts for every call that would have met it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Connection } from './wire.ts'

/**
 * `intendedMs` is when the call should have started. It throws for any answer that must not occur while measuring,
 * since a run with refusals in it would measure refusals.
 */
export type Call = (connection: Connection, intendedMs: number) => Promise<void>

export interface Measured {
  readonly count: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Enough for the few cores of a laptop; more callers would only wait for each other. */
export const usualCallers = 64
const mostConnections = 512
export async function closedLoop(
  port: number,
  call: Call,
  { seconds, callers = usualCallers, most = Number.POSITIVE_INFINITY }: LoopOptions,
): Promise<Measured> {
  const connections = Array.from({ length: callers }, () => new Connection(port))
  try {
    return await within(seconds, most, connections, call)
  } finally {
    for (const connection of connections) connection.close()
  }
}

export interface LoopOptions {
  readonly seconds: number
  readonly callers?: number
  /** The most calls to make, for callers with a limited supply of requests. */
  readonly most?: number
}

async function within(
  seconds: number,
  most: number,
  connections: readonly Connection[],
  call: Call,
): Promise<Measured> {
  const timings: number[] = []
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  let begun = 0
  let doneMs = startMs
  let hasFailed = false
  await Promise.all(
    connections.map(async (connection) => {
      for (;;) {
        const atMs = performance.now()
        // After a failed call all callers stop, so that they put no load on the next measurement.
        if (hasFailed || atMs >= endMs || begun >= most) return
        begun++
        await call(connection, atMs).catch((error: unknown) => {
          hasFailed = true
          throw error
        })
        doneMs = performance.now()
        timings.push(doneMs - atMs)
      }
    }),
  )
  return summarise(timings, (doneMs - startMs) / 1_000)
}

export async function openLoop(
  port: number,
  call: Call,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Measured> {
  const callers = new OpenCallers(port, call)
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  let nextMs = startMs
  while (nextMs < endMs) {
    while (nextMs <= performance.now() && nextMs < endMs) {
      callers.begin(nextMs)
      // Exponential intervals with this mean, as between calls of strangers.
      nextMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond
    }
    await sleep(1)
  }
  const timings = await callers.end()
  return summarise(timings, (performance.now() - startMs) / 1_000)
}

class OpenCallers {
  readonly #port: number
  readonly #call: Call
  readonly #timings: number[] = []
  readonly #connections: Connection[] = []
  readonly #idle: Connection[] = []
  /** The intended start times of calls that found no free connection. */
  readonly #late: number[] = []
  readonly #underWay = new Set<Promise<void>>()
  #failure: unknown = null

  constructor(port: number, call: Call) {
    this.#port = port
    this.#call = call
  }

  begin(intendedMs: number): void {
    const connection = this.#idle.pop() ?? this.#another()
    if (!connection) {
      this.#late.push(intendedMs)
      return
    }
    const work = this.#run(connection, intendedMs).finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  async end(): Promise<number[]> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    for (const connection of this.#connections) connection.close()
    if (this.#failure !== null) throw this.#failure
    return this.#timings
  }

  async #run(connection: Connection, intendedMs: number): Promise<void> {
    try {
      await this.#call(connection, intendedMs)
    } catch (error) {
      this.#failure ??= error
    }
    this.#timings.push(performance.now() - intendedMs)
    this.#idle.push(connection)
    const next = this.#late.shift()
    if (next !== undefined) this.begin(next)
  }

  #another(): Connection | null {
    if (this.#connections.length === mostConnections) return null
    const connection = new Connection(this.#port)
    this.#connections.push(connection)
    return connection
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function summarise(timings: number[], seconds: number): Measured {
  const sorted = timings.sort((left, right) => left - right)
  return {
    count: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  }
}

export function expect200({ status, body }: Answer): string {
  if (status !== 200) throw new Error(`answered ${status}: ${body.slice(0, 600)}`)
  return body
}
