/**
 * Connections that are kept and used again, by one call at a time. Each goes to the address that was checked when it
 * was opened, and is closed after a while, so that a change in DNS is followed.
 *
 * A call that the other side cut off looks the same as a call on a connection that the other side was just closing. So
 * a connection that may be closing is never used again: neither after a second without a call, nor before a close that
 * followed the last answer has been read.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Client } from 'undici'

/** How long a connection is used after it was opened. */
const longestMs = 30_000
/** How long a connection is kept without a call. Servers close idle ones after two seconds or more, most after five. */
const idleMs = 1_000
/** Turns of the event loop to wait after an answer: in the first, a close that followed it may not have been read. */
const turnsToGoodbye = 2
const maxIdle = 800
const maxIdleOfOrigin = 400

export interface Connection {
  readonly client: Client
  readonly origin: string
  /** Whether it has had a call before. */
  isUsed: boolean
  /** Whether the other side has closed it, or it was idle for too long. */
  isClosed: boolean
  readonly openedAtMs: number
}

export class KeptConnections {
  readonly #options: Client.Options
  readonly #idle = new Map<string, Connection[]>()
  readonly #busy = new Set<Connection>()
  #idleCount = 0

  constructor(options: Client.Options) {
    this.#options = {
      ...options,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
    }
  }

  take(origin: string): Connection {
    const connection = this.#takeIdle(origin) ?? this.#open(origin)
    this.#busy.add(connection)
    return connection
  }

  /** Call this after each call; `isComplete` says whether its answer was read to the end. */
  async release(connection: Connection, isComplete: boolean): Promise<void> {
    for (let turn = 0; turn < turnsToGoodbye && isComplete && !connection.isClosed; turn++) await nextTurn()
    // All connections were closed meanwhile.
    if (!this.#busy.delete(connection)) return
    const { client, origin } = connection
    const idle = this.#idle.get(origin) ?? []
    const isKept =
      isComplete && this.#isUsable(connection) && this.#idleCount < maxIdle && idle.length < maxIdleOfOrigin
    if (!isKept) return client.destroy()
    connection.isUsed = true
    idle.push(connection)
    this.#idle.set(origin, idle)
    this.#idleCount++
  }

  async close(): Promise<void> {
    const all = [...this.#busy, ...[...this.#idle.values()].flat()]
    this.#busy.clear()
    this.#idle.clear()
    this.#idleCount = 0
    await Promise.all(all.map(({ client }) => client.destroy()))
  }

  #open(origin: string): Connection {
    const client = new Client(origin, this.#options)
    const connection = { client, origin, isUsed: false, isClosed: false, openedAtMs: performance.now() }
    client.on('disconnect', () => {
      connection.isClosed = true
      this.#drop(connection)
    })
    return connection
  }

  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin) ?? []
    for (let last = idle.pop(); last; last = idle.pop()) {
      this.#idleCount--
      if (idle.length === 0) this.#idle.delete(origin)
      if (this.#isUsable(last)) return last
      void last.client.destroy()
    }
    return undefined
  }

  #drop(connection: Connection): void {
    const { client, origin } = connection
    const idle = this.#idle.get(origin) ?? []
    const index = idle.indexOf(connection)
    if (index < 0) return
    idle.splice(index, 1)
    this.#idleCount--
    if (idle.length === 0) this.#idle.delete(origin)
    void client.destroy()
  }

  readonly #isUsable = ({ isClosed, openedAtMs }: Connection) =>
    !isClosed && performance.now() - openedAtMs < longestMs
}
