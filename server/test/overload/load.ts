/** Sends that are asked of the service, and what became of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, requestText } from '../../../bench/measuring/wire.ts'
import { freshPhone } from '../harness/fixtures.ts'
import type { Overloaded } from './overloaded.ts'

/** Each call has one for itself; who comes beyond that would say nothing about the service. */
const mostConnections = 8_000
const openAtOnce = 100
const closedCallers = 200
/** A connection that was closed before an answer came. */
const broken = 0

export class Load {
  readonly statuses = new Map<number, number>()
  readonly acceptedMs: number[] = []
  readonly refusedMs: number[] = []
  readonly #service: Overloaded
  readonly #port: number
  readonly #free: Connection[] = []
  #connections = 0
  begun = 0
  withoutRetryAfter = 0

  constructor(service: Overloaded) {
    this.#service = service
    this.#port = Number(new URL(service.baseUrl).port)
  }

  async call(): Promise<void> {
    const { keys } = this.#service
    const key = keys[this.begun++ % keys.length] ?? ''
    const connection = this.#free.pop() ?? this.#connect()
    const begunMs = performance.now()
    const body = JSON.stringify({ recipient: freshPhone() })
    const { status, head } = await connection.call(requestText('POST', '/api/v1/otp/send', { key, body }))
    this.#free.push(connection)
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const ms = performance.now() - begunMs
    if (status === 200) this.acceptedMs.push(ms)
    else if (status !== broken) this.refusedMs.push(ms)
    if (status === 503 && !/\r\nretry-after: [1-9]/i.test(head)) this.withoutRetryAfter++
  }

  /** Connections that have been answered once, so that the service has taken them. */
  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += openAtOnce) {
      const some = Array.from({ length: openAtOnce }, () => this.#connect())
      await Promise.all(some.map((connection) => connection.call(requestText('GET', '/healthz'))))
      this.#free.push(...some)
    }
  }

  get p99Ms(): number {
    return shareOf(this.acceptedMs, 0.99)
  }

  toString(): string {
    const said = [...this.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    const accepted = `accepted in ${shareOf(this.acceptedMs, 0.5)} ms, p99 ${this.p99Ms} ms`
    if (this.refusedMs.length === 0) return `${said}; ${accepted}`
    return `${said}; ${accepted}; refused in ${shareOf(this.refusedMs, 0.5)} ms, p99 ${shareOf(this.refusedMs, 0.99)} ms`
  }

  close(): void {
    for (const connection of this.#free) connection.close()
  }

  #connect(): Connection {
    if (++this.#connections > mostConnections) throw new Error('more calls are open than the load can hold')
    return new Connection(this.#port)
  }
}

/** The value that this share of them does not exceed. */
function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
}

/** As many as it can do, by so many callers that each wait for their answer. */
export async function measureRate(service: Overloaded, seconds: number): Promise<number> {
  const load = new Load(service)
  await load.open(closedCallers)
  const endMs = performance.now() + seconds * 1000
  const caller = async () => {
    while (performance.now() < endMs) await load.call()
  }
  await Promise.all(Array.from({ length: closedCallers }, caller))
  load.close()
  const rate = Math.round(load.acceptedMs.length / seconds)
  console.log(`· as many as it can do: ${rate} sends a second; ${load}`)
  return rate
}

/** Calls come at this rate, whether or not earlier ones were answered. */
export async function sendAtRate(
  service: Overloaded,
  perSecond: number,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<Load> {
  const load = new Load(service)
  await load.open(connections)
  const calls: Promise<void>[] = []
  const begun = performance.now()
  for (let ms = 0; ms < seconds * 1000; ms = performance.now() - begun) {
    const due = Math.floor((ms / 1000) * perSecond)
    while (calls.length < due) calls.push(load.call())
    await sleep(2)
  }
  await Promise.all(calls)
  load.close()
  return load
}

/** Resolves with the seconds until a few calls at once are all accepted, and soon. */
export async function untilCalm(service: Overloaded, withinMs: number): Promise<number> {
  const begun = performance.now()
  for (;;) {
    const calm = new Load(service)
    await Promise.all(Array.from({ length: 16 }, () => calm.call()))
    calm.close()
    if (calm.acceptedMs.length === 16 && calm.p99Ms < withinMs) return (performance.now() - begun) / 1000
  }
}
