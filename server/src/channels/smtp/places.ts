/**
 * Who is connected to a port that everybody may know of. Whoever holds a connection without bringing mail makes room
 * where all places are taken, so that nobody is kept out by those who only stay.
 */
import type { Socket } from 'node:net'

const MOST = 50
/** Far longer than a mail takes. */
const PATIENCE_MS = 10_000

interface Place {
  readonly socket: Socket
  /** When it came, or last brought mail. */
  readonly sinceMs: number
}

export class Places {
  readonly #nowMs: () => number
  /** By the id of the session. Who has brought nothing for longest stands first. */
  readonly #taken = new Map<string, Place>()

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
    const place = this.#taken.get(id)
    if (!place) return
    this.#taken.delete(id)
    this.#taken.set(id, { ...place, sinceMs: this.#nowMs() })
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
