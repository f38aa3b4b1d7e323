/** Sends to the service, and their outcomes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, requestText } from '../../../bench/measuring/wire.ts'
import { freshPhone } from '../harness/fixtures.ts'
import type { Overloaded } from './overloaded.ts'

/** As many connections as all backends together keep. A call that finds none free is counted, but not made. */
const mostConnections = 8_000
const openAtOnce = 100
const closedCallers = 200
/** A backend closes the connection after this time, as most do. */
const patienceMs = 15_000
/** The status of a call whose connection was closed before an answer. */
const broken = 0

interface Accepted {
  /** Since the first call. */
  readonly atMs: number
  readonly ms: number
}

export class Load {
  readonly statuses = new Map<number, number>()
  readonly accepted: Accepted[] = []
  readonly refusedMs: number[] = []
  readonly #service: Overloaded
  readonly #port: number
  readonly #free: Connection[] = []
  /** When the first call was made. */
  #begunMs: number | null = null
  #connections = 0
  begun = 0
  withoutRetryAfter = 0
  notMade = 0
  /** How much of the time this process itself was busy: at 100 % it would only measure itself. */
  busyShare = 0
  gaveUp = 0

  constructor(service: Overloaded) {
    this.#service = service
    this.#port = Number(new URL(service.baseUrl).port)
  }

  async call(): Promise<void> {
    const { keys } = this.#service
    const connection = this.#free.pop() ?? this.#connect()
    if (!connection) {
      this.notMade++
      return
    }
    const key = keys[this.begun++ % keys.length] ?? ''
    const begunMs = performance.now()
    this.#begunMs ??= begunMs
    const firstMs = this.#begunMs
    const body = JSON.stringify({ recipient: freshPhone() })
    const hangUp = setTimeout(() => {
      this.gaveUp++
      connection.close()
    }, patienceMs)
    const { status, head } = await connection.call(requestText('POST', '/api/v1/otp/send', { key, body }))
    clearTimeout(hangUp)
    this.#free.push(connection)
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const ms = performance.now() - begunMs
    if (status === 200) this.accepted.push({ atMs: begunMs - firstMs, ms })
    else if (status !== broken) this.refusedMs.push(ms)
    if (status === 503 && !/\r\nretry-after: [1-9]/i.test(head)) this.withoutRetryAfter++
  }

  /** Opens connections and makes one call on each, so that the service has accepted them. */
  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += openAtOnce) {
      const some = Array.from({ length: openAtOnce }, () => this.#connect()).filter((each) => each !== null)
      await Promise.all(some.map((connection) => connection.call(requestText('GET', '/healthz'))))
      this.#free.push(...some)
    }
  }

  /** The 99th percentile of accepted calls that were made at least this long after the first. */
  p99Ms(fromMs = 0): number {
    return shareOf(
      this.accepted.filter(({ atMs }) => atMs >= fromMs).map(({ ms }) => ms),
      0.99,
    )
  }

  toString(): string {
    const said = [...this.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    const times = this.accepted.map(({ ms }) => ms)
    const accepted = `accepted in ${shareOf(times, 0.5)} ms, p99 ${this.p99Ms()} ms`
    if (this.refusedMs.length === 0) return `${said}; ${accepted}`
    return `${said}; ${accepted}; refused in ${shareOf(this.refusedMs, 0.5)} ms, p99 ${shareOf(this.refusedMs, 0.99)} ms; ${this.gaveUp} gave up, ${this.notMade} found no connection; the load itself was busy for ${Math.round(this.busyShare * 100)} % of the time`
  }

  close(): void {
    for (const connection of this.#free) connection.close()
  }

  #connect(): Connection | null {
    if (this.#connections === mostConnections) return null
    this.#connections++
    return new Connection(this.#port)
  }
}

/** The value that this share of the values does not exceed. */
function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
}

/** The highest rate of sends, with callers that each wait for their answer. */
export async function measureRate(service: Overloaded, seconds: number): Promise<number> {
  const load = new Load(service)
  await load.open(closedCallers)
  const endMs = performance.now() + seconds * 1000
  const caller = async () => {
    while (performance.now() < endMs) await load.call()
  }
  await Promise.all(Array.from({ length: closedCallers }, caller))
  load.close()
  const rate = Math.round(load.accepted.length / seconds)
  console.log(`· as many as it can do: ${rate} sends a second; ${load}`)
  return rate
}

/** Sends at this rate, whether or not earlier calls were answered. */
export async function sendAtRate(
  service: Overloaded,
  perSecond: number,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<Load> {
  const load = new Load(service)
  await load.open(connections)
  const calls: Promise<void>[] = []
  const before = performance.eventLoopUtilization()
  const begun = performance.now()
  for (let ms = 0; ms < seconds * 1000; ms = performance.now() - begun) {
    const due = Math.floor((ms / 1000) * perSecond)
    while (calls.length < due) calls.push(load.call())
    await sleep(2)
  }
  load.busyShare = performance.eventLoopUtilization(before).utilization
  await Promise.all(calls)
  load.close()
  return load
}

/** Resolves to the seconds until a few parallel calls are all accepted quickly. */
export async function untilCalm(service: Overloaded, withinMs: number): Promise<number> {
  const begun = performance.now()
  for (;;) {
    const calm = new Load(service)
    await Promise.all(Array.from({ length: 16 }, () => calm.call()))
    calm.close()
    if (calm.accepted.length === 16 && calm.p99Ms() < withinMs) return (performance.now() - begun) / 1000
  }
}
