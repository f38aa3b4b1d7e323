/**
 * Connections that are kept and used again, by one call at a time. Each goes to the address that was checked when it was
 * opened, and is given up after a while, so that a name which moves is followed.
 */
import { Client } from 'undici'

/** How long a connection is used after it was opened. */
const longestMs = 30_000
/** How long a connection is kept without a call; many servers close theirs after five seconds. */
const idleMs = 4_000
const maxIdle = 800
const maxIdleOfOrigin = 400

export interface Connection {
  readonly client: Client
  readonly origin: string
  isUsed: boolean
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

  /** With `isNew` it is a connection that nobody has used yet. */
  take(origin: string, isNew = false): Connection {
    const connection = (isNew ? undefined : this.#takeIdle(origin)) ?? this.#open(origin)
    this.#busy.add(connection)
    return connection
  }

  /** After a call; `isWhole` says that its answer was read to the end. */
  async release(connection: Connection, isWhole: boolean): Promise<void> {
    this.#busy.delete(connection)
    const { client, origin } = connection
    const idle = this.#idle.get(origin) ?? []
    const isKept =
      isWhole && this.#isYoung(connection) && this.#idleCount < maxIdle && idle.length < maxIdleOfOrigin
    if (!isKept) return client.destroy()
    connection.isUsed = true
    idle.push(connection)
    this.#idle.set(origin, idle)
    this.#idleCount++
  }

  async close(): Promise<void> {
    const all = [...this.#busy, ...[...this.#idle.values()].flat()]
    this.#idle.clear()
    this.#idleCount = 0
    await Promise.all(all.map(({ client }) => client.destroy()))
  }

  #open(origin: string): Connection {
    const client = new Client(origin, this.#options)
    // Called when the other side closes it, or when it was idle for too long.
    client.on('disconnect', () => this.#drop(origin, client))
    return { client, origin, isUsed: false, openedAtMs: performance.now() }
  }

  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin) ?? []
    for (let last = idle.pop(); last; last = idle.pop()) {
      this.#idleCount--
      if (idle.length === 0) this.#idle.delete(origin)
      if (this.#isYoung(last)) return last
      void last.client.destroy()
    }
    return undefined
  }

  #drop(origin: string, client: Client): void {
    const idle = this.#idle.get(origin) ?? []
    const index = idle.findIndex((each) => each.client === client)
    if (index < 0) return
    idle.splice(index, 1)
    this.#idleCount--
    if (idle.length === 0) this.#idle.delete(origin)
    void client.destroy()
  }

  readonly #isYoung = ({ openedAtMs }: Connection) => performance.now() - openedAtMs < longestMs
}
