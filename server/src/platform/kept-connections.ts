/**
 * Connections that are used once more, each by one call at a time. One goes to the address that was checked when it was
 * opened, and is given up after a while, so that a name which has moved is followed.
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
  readonly isUsed: boolean
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
    this.#idle.set(origin, [...idle, { ...connection, isUsed: true }])
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
    for (let last = this.#idle.get(origin)?.at(-1); last; last = this.#idle.get(origin)?.at(-1)) {
      this.#forget(origin, last.client)
      if (this.#isYoung(last)) return last
      void last.client.destroy()
    }
    return undefined
  }

  #drop(origin: string, client: Client): void {
    if (this.#forget(origin, client)) void client.destroy()
  }

  #forget(origin: string, client: Client): boolean {
    const idle = this.#idle.get(origin) ?? []
    const left = idle.filter((each) => each.client !== client)
    if (left.length === idle.length) return false
    this.#idleCount--
    if (left.length > 0) this.#idle.set(origin, left)
    else this.#idle.delete(origin)
    return true
  }

  readonly #isYoung = ({ openedAtMs }: Connection) => performance.now() - openedAtMs < longestMs
}
