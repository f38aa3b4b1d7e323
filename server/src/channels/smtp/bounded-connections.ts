/**
 * The connections to a public port. When there are too many, the one that has brought no mail for longest is closed, so
 * that idle connections keep nobody out.
 */
import type { Socket } from 'node:net'

const MOST = 50
/** A connection is not closed before this time, which is far longer than a mail takes. */
const PATIENCE_MS = 10_000

interface OpenConnection {
  readonly socket: Socket
  /** When it was opened, or last brought mail. */
  readonly sinceMs: number
}

export class BoundedConnections {
  readonly #nowMs: () => number
  /** Connections by the session's id; the one that has brought no mail for longest comes first. */
  readonly #taken = new Map<string, OpenConnection>()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  take(id: string, socket: Socket): void {
    if (socket.destroyed) return
    if (this.#taken.size >= MOST) this.#makeRoom()
    if (this.#taken.size >= MOST) return
    this.#taken.set(id, { socket, sinceMs: this.#nowMs() })
    socket.once('close', () => this.#taken.delete(id))
  }

  has(id: string): boolean {
    return this.#taken.has(id)
  }

  noteMail(id: string): void {
    const known = this.#taken.get(id)
    if (!known) return
    this.#taken.delete(id)
    this.#taken.set(id, { ...known, sinceMs: this.#nowMs() })
  }

  #makeRoom(): void {
    const [first] = this.#taken
    if (!first) return
    const [id, { socket, sinceMs }] = first
    if (this.#nowMs() - sinceMs < PATIENCE_MS) return
    this.#taken.delete(id)
    socket.destroy()
  }
}
